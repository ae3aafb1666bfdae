package app

import (
	"testing"

	"discoclaw/internal/actions"
)

// notFinal are changes that never bring an Undo, though they are not Final: why the words of the person who asks are enough for them.
var notFinal = map[string]string{
	"react":            "unreact takes it back; only whether the bot had reacted before is not known",
	"reactionPrompt":   "it asks here, where everybody reads it, and people answer it",
	"taskSync":         "it only makes posts what the tasks are, as it does by itself, too",
	"tagMapReload":     "it reads a file of the operator's again",
	"cronSync":         "it only makes posts what the jobs are, as it does by itself, too",
	"cronTagMapReload": "it reads a file of the operator's again",
	"forgeCancel":      "forgeResume goes on with the plan",
	"deferCancel":      "a follow-up is asked for again in a sentence",
	"voicePlay":        "people in the call hear a file that is posted here, and voiceLeave ends it",
	"cardWithdraw":     "nothing is done, and the same can be asked for again",
}

// TestWhatIsNotUndoneIsFinal: after outside text was read, people are asked about what nothing takes back. What no journal can undo says
// so, or is among the few that do no harm.
func TestWhatIsNotUndoneIsFinal(t *testing.T) {
	registry := mustCore(t, nil).registry
	for name := range notFinal {
		if a, known := registry.Lookup(name); !known || a.Final {
			t.Errorf("%s is not there, or it is Final by now: take it out of the list", name)
		}
	}
	for _, a := range registry.All() {
		if a.Effect == actions.Queries || a.Destructive {
			if a.Final {
				t.Errorf("%s need not be Final: it changes nothing, or asks in any case", a.Name)
			}
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			inCourt(t, func(c *court) {
				out := c.tryOut(a)
				stays := a.Final || notFinal[a.Name] != ""
				switch undone := len(out.Result.Undo) > 0; {
				case undone && stays:
					c.t.Errorf("it can be undone (%s), so it is not Final", out.Result.Undo[0].Text)
				case !undone && !stays:
					c.t.Errorf("%s, and nothing takes it back: declare it Final, or say in the list above why people need not be asked", out.Line())
				}
			})
		})
	}
}
