package messaging

import (
	"cmp"
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// Results are lines, with other people's text in them. lineBreak replaces every line break
// of that, so that a message cannot look like two, or like the result of another action.
const lineBreak = "⏎"

func flat(s string) string {
	return strings.Join(chat.Lines(strings.TrimSpace(s)), " "+lineBreak+" ")
}

// called is a channel with its #.
func called(ch chat.Channel) string { return "#" + flat(ch.Name) }

// How much of a message is shown. Lists are short so that twenty messages fit into
// a prompt.
const (
	maxListedLength  = 300
	maxEmbedsLength  = 200
	maxFetchedLength = 2000
)

// brief is a message's text in a list.
func brief(m chat.Message) string {
	text, cards := withPoll(m), embedText(m.Embeds)
	switch {
	case text == "" && m.System:
		text = "(a notice of Discord's own)"
	case text == "":
		text = cards
	case cards != "":
		text += " [Embed: " + chat.Clip(cards, maxEmbedsLength) + "]"
	}
	return chat.Clip(orNoText(text), maxListedLength)
}

// whole is all of a message's text.
func whole(m chat.Message) string {
	text := withPoll(m)
	if cards := embedText(m.Embeds); cards != "" {
		text += "\n[Embeds]\n" + cards
	}
	return orNoText(text)
}

// withPoll is a message's text, with its stickers, what it shows or forwards, and its poll.
func withPoll(m chat.Message) string {
	text := strings.TrimSpace(m.Text)
	if _, secret := chat.CutSecret(text); secret {
		text = "(a secret, told to the bot alone)"
	}
	extras := chat.Message{StickerNames: m.StickerNames, Components: m.Components, Forwards: m.Forwards}
	text = strings.TrimSpace(text + " " + strings.Join(extras.Notes(maxListedLength), " "))
	if m.Poll != nil {
		text = strings.TrimSpace(fmt.Sprintf("%s [Poll: %s (%s)]", text, m.Poll.Question, strings.Join(m.Poll.Answers, " / ")))
	}
	return text
}

func orNoText(s string) string {
	if s = flat(s); s == "" {
		return "(no text)"
	}
	return s
}

// embedText has a line for every text of an embed.
func embedText(embeds []chat.Embed) string {
	var cards []string
	for _, e := range embeds {
		var lines []string
		add := func(label, text string) {
			if text != "" {
				lines = append(lines, label+": "+text)
			}
		}
		add("Title", e.Title)
		add("Description", e.Description)
		add("URL", e.URL)
		for _, f := range e.Fields {
			lines = append(lines, f.Name+": "+f.Value)
		}
		add("Footer", e.Footer)
		if len(lines) > 0 {
			cards = append(cards, strings.Join(lines, "\n"))
		}
	}
	return strings.Join(cards, "\n---\n")
}

// author is the user name of a message's author, which is unique, unlike display names. It
// cannot end the brackets it stands in.
func author(m chat.Message) string {
	return chat.InBrackets(flat(cmp.Or(m.Author.Handle, m.Author.Name, "Unknown")))
}

// sent is the time of a message, to the second.
func sent(m chat.Message) string { return m.Sent.UTC().Format("2006-01-02 15:04:05 UTC") }

// shown is an emoji as text. Discord has custom ones as name:id.
func shown(e chat.Emoji) string {
	if name, _, own := strings.Cut(string(e), ":"); own {
		return fmt.Sprintf(":%s:", name)
	}
	return string(e)
}
