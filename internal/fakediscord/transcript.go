package fakediscord

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// Transcript prints the messages of the given channels, or of all, oldest first, each on a
// line of its own with further lines indented. The bot is called bot. System messages are
// left out.
//
//	#general ada: what channels do we have? [👀 bot]
//	#general bot: One moment.
//	  Done: 2 channels: #general, #ops
//	#general bot (only for ada): that was not for you
//
// Brackets after the text list buttons, files, embeds, reactions, pins and edits. The bot
// edits all the time, to show an answer as it grows, so its edits are not mentioned, nor are the buttons below its answers.
func (w *World) Transcript(channels ...string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*Message
	for _, m := range w.messages {
		if !isSystem(m.Type) && (len(channels) == 0 || w.listed(m, channels)) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *Message) int {
		if c := a.Sent.Compare(b.Sent); c != 0 {
			return c
		}
		return compareIDs(string(a.ID), string(b.ID))
	})
	var out strings.Builder
	for _, m := range all {
		fmt.Fprintln(&out, w.line(m))
	}
	return out.String()
}

func (w *World) listed(m *Message, channels []string) bool {
	return slices.ContainsFunc(channels, func(name string) bool {
		c := w.channel(name)
		return c != nil && c.ID == m.Channel
	})
}

func (w *World) line(m *Message) string {
	text := strings.ReplaceAll(m.Content, "\n", "\n  ")
	if notes := w.notes(m); notes != "" {
		text = strings.TrimLeft(text+" ["+notes+"]", " ")
	}
	who := w.called(w.user(m.Author))
	if m.OnlyFor != "" {
		who += " (only for " + w.called(w.user(m.OnlyFor)) + ")"
	}
	return fmt.Sprintf("%s %s: %s", w.label(w.channels[m.Channel]), who, text)
}

// label is the name of a channel in a transcript, with its guild if there are several.
func (w *World) label(c *Channel) string {
	if g := w.guild(c.Guild); g != nil && len(w.guilds) > 1 {
		return g.Name + "/" + c.String()
	}
	return c.String()
}

// called is the name of a member in a transcript.
func (w *World) called(m *Member) string {
	if m.ID == w.bot {
		return "bot"
	}
	return m.Shown()
}

// notes are the brackets after the text.
func (w *World) notes(m *Message) string {
	var notes []string
	for _, e := range m.Embeds {
		notes = append(notes, "embed "+e.Title)
	}
	if m.Poll != nil {
		notes = append(notes, "poll "+m.Poll.Question+": "+strings.Join(m.Poll.Answers, " / "))
	}
	for _, name := range m.Stickers {
		notes = append(notes, "sticker "+name)
	}
	if m.Forwarded != nil {
		notes = append(notes, "forwards "+strings.ReplaceAll(m.Forwarded.Content, "\n", " "))
	}
	for _, c := range m.Components {
		if c.Type == TextDisplay {
			notes = append(notes, "component "+c.Content)
		}
	}
	for _, a := range m.Attachments {
		notes = append(notes, "file "+a.Name)
	}
	for _, b := range m.Buttons() {
		if !strings.HasPrefix(b.CustomID, chat.BelowAnswer) { // almost every answer has those
			notes = append(notes, "button "+b.Label)
		}
	}
	if !m.Edited.IsZero() && m.Author != w.bot {
		notes = append(notes, "edited")
	}
	if !m.Pinned.IsZero() {
		notes = append(notes, "pinned")
	}
	for _, r := range m.Reactions {
		var who []string
		for _, u := range r.Users {
			who = append(who, w.called(w.user(u)))
		}
		notes = append(notes, fmt.Sprintf("%s %s", r.Emoji, strings.Join(who, " ")))
	}
	return strings.Join(notes, ", ")
}
