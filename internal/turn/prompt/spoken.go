package prompt

import (
	"strings"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
)

// aloud says how to answer what was said in a call.
const aloud = `## This is a call

This goes before what is said above on Markdown. The words at the end were said in a voice call and written down by a machine, which may have misheard them: go by what they must have meant, and ask before you do something on a guess. Your answer is read aloud. Answer first, in one to three short sentences, as people talk: no Markdown, no lists, no links, no emoji, no IDs, hashes or code, no preamble. Say numbers, dates and times as one says them. What you do is written as blocks, which are not read aloud; say in passing what you understood: what, for whom, where and when. What the list above lacks works only in writing: say so, and that they can write it in a channel. Long results, links and cards stand in this channel's chat: say so instead of reading them out.`

const (
	maxIdentity = 1500 // characters of who the bot is, in a call: each costs time
	maxOwnStyle = 4000 // characters of what the operator adds
)

// InCall returns the setting of a turn that something said in a call began. Own is what the operator adds.
func (s Setting) InCall(own string) Setting {
	s.Persona = condensed(s.Persona, maxIdentity)
	s.Style = join(aloud, dialect.Defuse(chat.Clip(strings.TrimSpace(own), maxOwnStyle)))
	return s
}

// condensed returns the beginnings of documents, in order, that fit into a number of characters.
func condensed(docs []chat.Document, room int) (kept []chat.Document) {
	for _, d := range docs {
		if room <= 0 {
			break
		}
		d.Text = chat.Clip(d.Text, room)
		room -= chat.Length(d.Text)
		kept = append(kept, d)
	}
	return kept
}
