package app

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/voice/speech/speechtest"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

// said counts a sentence in the chat of the lounge.
func (l *lounge) said(sentence string) int { return strings.Count(l.chat("Lounge"), sentence) }

const (
	deafNow = "I can't understand you in the call now: "
	dumbNow = "I can't speak in the call now: "
)

// TestARecogniserThatFails: people are told once, and heard again when it works again.
func TestARecogniserThatFails(t *testing.T) {
	for name, fail := range map[string]func(l *lounge, ada *caller){
		"down": func(l *lounge, ada *caller) {
			for range 8 {
				l.ears.Next(transcribetest.Answer(503, `{"err_msg":"Busy."}`))
			}
			ada.ask("open the window")
		},
		"wrong key": func(l *lounge, ada *caller) {
			for range 2 {
				l.ears.Next(transcribetest.Answer(401, `{"err_msg":"Invalid credentials."}`))
			}
			ada.ask("open the window")
		},
		"down for a minute": func(l *lounge, ada *caller) {
			for range 100 {
				l.ears.Next(transcribetest.Answer(503, `{"err_msg":"Busy."}`))
			}
			for range 4 {
				ada.ask("open the window")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			model := script.New(script.Say("It is open."))
			inCall(t, model, func(l *lounge) {
				ada := l.enter("ada")
				fail(l, ada)
				if n := l.said(deafNow); n != 1 {
					t.Errorf("it was told %d times\n%s", n, l.chat("Lounge"))
				}
				t.Log(l.chat("Lounge"), l.ears.Asked(), len(model.Requests()))
			})
		})
	}
}

// TestARecogniserThatIsCutOff: what was said before and after is heard.
func TestARecogniserThatIsCutOff(t *testing.T) {
	model := script.New(script.Say("It is open."), script.Say("It is open."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		time.AfterFunc(time.Second, l.ears.Break)
		ada.ask("open the window and the door")
		t.Log(l.chat("Lounge"), l.ears.Asked(), len(model.Requests()))
	})
}

// TestASynthesiserThatFails: the answer stands in the chat, and why it was not spoken, once.
func TestASynthesiserThatFails(t *testing.T) {
	model := script.New(script.Say("It is open. And the door?"), script.Say("It is shut."), script.Say("It works."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		for range 3 {
			l.mouth.Next(speechtest.Answer(500, "{}"))
		}
		ada.ask("open the window")
		ada.ask("shut the door")
		if l.said(dumbNow) != 1 || l.said("It is open. And the door?") != 1 || l.said("It is shut.") != 1 || ada.hears() != "" {
			t.Errorf("ada hears %q, and the chat has\n%s", ada.hears(), l.chat("Lounge"))
		}
		ada.ask("does it work")
		if got := ada.hears(); got != "it works." {
			t.Errorf("ada hears %q", got)
		}
		t.Log(l.chat("Lounge"))
	})
}

// TestAModelThatFails: people hear that, and it stands in the chat.
func TestAModelThatFails(t *testing.T) {
	for name, answer := range map[string]script.Answer{
		"busy":    {script.Fail(&llm.Error{Kind: llm.Unavailable, Runtime: "openai"})},
		"nothing": script.Say(""),
		"cut":     {script.Text("It is"), script.Fail(&llm.Error{Kind: llm.Broken, Runtime: "openai"})},
	} {
		t.Run(name, func(t *testing.T) {
			model := thinking(answer, answer, answer, answer)
			inCall(t, model, func(l *lounge) {
				ada := l.enter("ada")
				ada.ask("open the window")
				l.wait(2 * time.Minute)
				t.Log(ada.hears(), "\n", l.chat("Lounge"), len(model.Requests()))
			})
		})
	}
}

// TestAModelThatTakesTooLong: after thirty seconds the bot apologises, and the turn is over.
func TestAModelThatTakesTooLong(t *testing.T) {
	model := thinking(after(time.Hour, "It is open."), script.Say("It is shut."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.say("open the window")
		asked := time.Now()
		l.wait(time.Minute)
		t.Log(ada.hears(), "\n", l.chat("Lounge"), len(model.Requests()), model.cut.Load(), model.last.Load().Sub(asked))
		ada.ask("shut the door")
		t.Log(ada.hears(), "\n", l.chat("Lounge"), len(model.Requests()))
	})
}
