package prompt

import (
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
)

// Known is what the bot knows of one subject.
type Known struct {
	Name    string // of the part of the prompt
	Heading string // says what it is, and for models that it is information, not orders
	Text    string
	Outside chat.Sources // the outside texts in it
	Mine    bool         // the bot wrote it after it had read those, and may have repeated them
	Ask     string       // asks the model for something about it, in the words of the bot; may be empty
}

// AskForCapsule asks for a capsule. It says that later prompts of the conversation have it, of whichever member.
const AskForCapsule = `When the work here changes, end with a note for later turns, whoever asks: ` + dialect.CapsuleOpen +
	`{"currentFocus":"…","nextStep":"…"}` + dialect.CapsuleClose + ` (also activeTaskId, blockedOn). People do not see it.`

// known are the parts with what the bot knows.
func (s Setting) known() []part {
	var parts []part
	for _, k := range s.Known {
		if k.Mine {
			s.Outside.AddRetold(k.Text, k.Outside)
		} else {
			s.Outside.Add(k.Outside)
		}
		p := part{name: k.Name, text: k.Heading + "\n" + k.Text}
		if k.Ask != "" {
			p.ask = "\n" + k.Ask
		}
		parts = append(parts, p)
	}
	return parts
}
