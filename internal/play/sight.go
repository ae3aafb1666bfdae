package play

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// see prints the bot's effects.
func (t *terminal) see(e fakediscord.Event) {
	switch e.Name {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", fakediscord.Whisper:
		t.seeMessage(e)
	case "MESSAGE_REACTION_ADD":
		var r struct {
			Message chat.MessageID `json:"message_id"`
			Emoji   struct{ Name string }
		}
		if json.Unmarshal(e.Data, &r) == nil {
			m, _ := t.world.Message(r.Message)
			t.printf("  %s DiscoClaw reacted with %s to “%s”\n", t.place(e.Channel), r.Emoji.Name, chat.Clip(m.Content, 40))
		}
	case "THREAD_CREATE":
		t.printf("  a thread was started: %s\n", t.place(e.Channel))
	}
}

// seeMessage prints a message of the bot once it is final, that is without a Stop button.
// An ephemeral message is printed if it is for the current speaker.
func (t *terminal) seeMessage(e fakediscord.Event) {
	var ref struct{ ID chat.MessageID }
	if json.Unmarshal(e.Data, &ref) != nil {
		return
	}
	m, ok := t.world.Message(ref.ID)
	author, known := t.world.Member(string(m.Author))
	switch {
	case !ok || !known || !author.Bot || canBeStopped(m):
		return
	case m.Type == fakediscord.PinNotice:
		t.printf("  %s DiscoClaw pinned a message\n", t.place(e.Channel))
		return
	case m.Type != fakediscord.DefaultMessage && m.Type != fakediscord.ReplyMessage && m.Type != fakediscord.CommandAnswer:
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shown[m.ID] == m.Content || m.OnlyFor != "" && m.OnlyFor != t.speaker {
		return
	}
	t.shown[m.ID] = m.Content
	note := ""
	if m.OnlyFor != "" {
		note = " (only for you)"
	}
	t.print(fmt.Sprintf("  %s DiscoClaw%s: %s\n", t.place(e.Channel), note, t.readable(m.Content)))
	if labels := labelsOf(m); labels != nil {
		t.print(fmt.Sprintf("    buttons: %s\n", strings.Join(labels, ", ")))
	}
	if m.OnlyFor != "" || m.ID == t.pressed {
		t.react()
	}
}

// canBeStopped reports whether a message is an answer that is still being written.
func canBeStopped(m fakediscord.Message) bool { return slices.Contains(labelsOf(m), "Stop") }

// labelsOf are the labels of the enabled buttons.
func labelsOf(m fakediscord.Message) []string {
	var labels []string
	for _, b := range m.Buttons() {
		if !b.Disabled {
			labels = append(labels, b.Label)
		}
	}
	return labels
}

var (
	channelMention = lazily(`<#(\d+)>`)
	userMention    = lazily(`<@(\d+)>`)
	roleMention    = lazily(`<@&(\d+)>`)
	moment         = lazily(`<t:(\d+)(?::[tTdDfFR])?>`)
	link           = lazily(`\[([^\]]+)\]\(https://[^)]+\)`)
)

// readable is a message below its first line, with names for the channels, members and
// roles it mentions, formatted times, and links as their text.
func (t *terminal) readable(text string) string {
	text = link().ReplaceAllString(text, "$1")
	text = channelMention().ReplaceAllStringFunc(text, func(m string) string {
		return t.place(chat.ChannelID(strings.Trim(m, "<#>")))
	})
	text = userMention().ReplaceAllStringFunc(text, func(m string) string {
		who, _ := t.world.Member(strings.Trim(m, "<@>"))
		return "@" + who.Name
	})
	text = roleMention().ReplaceAllStringFunc(text, func(m string) string {
		for _, r := range t.world.Roles() {
			if string(r.ID) == strings.Trim(m, "<@&>") {
				return "@" + r.Name
			}
		}
		return "@role"
	})
	text = moment().ReplaceAllStringFunc(text, func(m string) string {
		seconds, err := strconv.ParseInt(moment().FindStringSubmatch(m)[1], 10, 64)
		if err != nil {
			return m
		}
		then, now := time.Unix(seconds, 0), time.Now()
		if then.Format(time.DateOnly) == now.Format(time.DateOnly) {
			return then.Format("at 15:04")
		}
		return then.Format("on Mon 2 Jan 2006 at 15:04")
	})
	text = strings.NewReplacer("on at ", "at ", "on on ", "on ", "for at ", "for ", "for on ", "for ").Replace(text)
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n    "), "\n    \n", "\n\n")
}

func (t *terminal) place(id chat.ChannelID) string {
	ch, found := t.world.Channel(string(id))
	if !found {
		return "#unknown"
	}
	return "#" + ch.Name
}

// lazily compiles a pattern on first use, because a bot outside of the playground never
// needs it.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
