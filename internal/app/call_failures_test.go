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
	deafNow = "I can't understand you in the call now: the server for transcriptions "
	dumbNow = "I can't speak in the call now: the server for speech failed "
)

// TestARecogniserThatFails: people are told once, and heard again when it works again.
func TestARecogniserThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		status, times int
	}{"for a moment": {503, 4}, "for a minute": {503, 12}, "for want of a key": {401, 3}} {
		t.Run(name, func(t *testing.T) {
			model := script.New(script.Say("It is open."), script.Say("It is open."))
			inCall(t, model, func(l *lounge) {
				for range tt.times {
					l.ears.Next(transcribetest.Answer(tt.status, `{"err_msg":"No."}`))
				}
				ada := l.enter("ada")
				for tries := 0; len(model.Requests()) == 0 && tries < 5; tries++ {
					ada.ask("open the window")
				}
				if n := l.said(deafNow); n != 1 || ada.hears() != "it is open." {
					t.Errorf("it was told %d times, and ada hears %q\n%s", n, ada.hears(), l.chat("Lounge"))
				}
			})
		})
	}
}

// TestARecogniserThatIsCutOff: the connection is made again in the middle of the sentence, of which nothing is said twice.
func TestARecogniserThatIsCutOff(t *testing.T) {
	model := script.New(script.Say("They are open."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		time.AfterFunc(time.Second, l.ears.Break)
		ada.ask("open the window and the door")
		asked := model.Requests()[0].Messages[0].Text
		if !strings.Contains(asked, "]: open the ") || !strings.HasSuffix(asked, "the door") || strings.Count(asked, "open") != 1 {
			t.Errorf("the model was asked\n%s", asked)
		}
		if got := ada.hears(); got != "they are open." || l.said("⚠️") > 0 {
			t.Errorf("ada hears %q, and the chat has\n%s", got, l.chat("Lounge"))
		}
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
	})
}

// TestAModelThatFails: people hear why, and read it.
func TestAModelThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		answer       script.Answer
		hears, reads string
	}{
		"at once": {
			script.Answer{script.Fail(&llm.Error{Kind: llm.Unavailable, Runtime: "openai"})},
			"openai is not available try again a little later.", "⚠️ Openai is not available; try again a little later.",
		},
		"in mid-sentence": {
			script.Answer{script.Text("It is"), script.Fail(&llm.Error{Kind: llm.Broken, Runtime: "openai"})},
			"it is the answer from openai broke off try again. nothing was done.", "⚠️ The answer from openai broke off; try again. Nothing was done.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inCall(t, script.New(tt.answer), func(l *lounge) {
				ada := l.enter("ada")
				ada.ask("open the window")
				l.wait(2 * time.Minute)
				if got := ada.hears(); got != tt.hears || l.said(tt.reads) != 1 {
					t.Errorf("ada hears %q, and the chat has\n%s", got, l.chat("Lounge"))
				}
			})
		})
	}
}

// TestAModelThatSaysNothing leaves no trace, and the next question is answered.
func TestAModelThatSaysNothing(t *testing.T) {
	model := script.New(script.Say(""), script.Say("It is shut."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.ask("open the window")
		if got := ada.hears(); got != "" || l.said("Thinking") > 0 {
			t.Errorf("ada hears %q, and the chat has\n%s", got, l.chat("Lounge"))
		}
		ada.ask("shut the door")
		if got := ada.hears(); got != "it is shut." {
			t.Errorf("ada hears %q", got)
		}
	})
}

// TestAModelThatTakesTooLong: after thirty seconds the bot apologises, and the turn is over.
func TestAModelThatTakesTooLong(t *testing.T) {
	model := thinking(after(time.Hour, "It is open."), script.Say("It is shut."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.say("open the window")
		asked := time.Now()
		l.wait(time.Minute)
		if took := model.last.Load().Sub(asked); model.cut.Load() != 1 || took < 30*time.Second || took > 31*time.Second {
			t.Errorf("%d calls were cancelled, after %v", model.cut.Load(), took)
		}
		if got := ada.hears(); !strings.HasPrefix(got, "sorry, that takes me too long.") || l.said("*(Stopped.)*") != 1 {
			t.Errorf("ada hears %q, and the chat has\n%s", got, l.chat("Lounge"))
		}
		ada.ask("shut the door")
		if got := ada.hears(); !strings.HasSuffix(got, " it is shut.") {
			t.Errorf("ada hears %q", got)
		}
	})
}
