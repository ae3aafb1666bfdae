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
func called(ch chat.Channel) string { return "#" + chat.Clip(flat(ch.Name), 60) }

// How much of a message is shown. Lists are short so that twenty messages fit into
// a prompt.
const (
	maxListedLength  = 300
	maxEmbedsLength  = 200
	maxFetchedLength = 2000
)

// brief is a message's text in a list.
func brief(m chat.Message) string {
	m = withoutSecret(m)
	text, cards := words(m), embedText(m.Embeds)
	switch {
	case text == "" && m.System:
		text = "(a notice of Discord's own)"
	case text == "":
		text = cards
	case cards != "":
		text += " [Embed: " + chat.Clip(cards, maxEmbedsLength) + "]"
	}
	if m.Poll == nil {
		return chat.Clip(orNoText(text), maxListedLength)
	}
	// However long the text is, the votes are not cut off.
	return strings.TrimSpace(chat.Clip(flat(text), maxListedLength) + " " + pollText(*m.Poll, maxListedQuestion))
}

// whole is all of a message's text.
func whole(m chat.Message) string {
	text := words(m)
	if m.Poll != nil {
		text = strings.TrimSpace(text + " " + pollText(*m.Poll, maxFetchedLength))
	}
	if cards := embedText(m.Embeds); cards != "" {
		text += "\n[Embeds]\n" + cards
	}
	return orNoText(text)
}

// words are a message's text, with its stickers, the names of its files, and what it shows or forwards.
func words(m chat.Message) string {
	extras := chat.Message{StickerNames: m.StickerNames, Attachments: m.Attachments, Components: m.Components, Forwards: m.Forwards}
	return strings.TrimSpace(strings.TrimSpace(m.Text) + " " + strings.Join(extras.Notes(maxListedLength), " "))
}

// withoutSecret is a message without the secret that it tells the bot, and without what came with that, such as a file.
func withoutSecret(m chat.Message) chat.Message {
	if _, secret := chat.CutSecret(m.Text); !secret {
		return m
	}
	return chat.Message{ID: m.ID, Place: m.Place, Author: m.Author, Webhook: m.Webhook, Sent: m.Sent, Text: "(a secret, told to the bot alone)"}
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
	return chat.InBrackets(chat.Clip(flat(cmp.Or(m.Author.Handle, m.Author.Name, "Unknown")), 60))
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
