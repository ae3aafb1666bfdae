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
<<<<<<< HEAD
	deafNow = "I can't understand you in the call now: "
	dumbNow = "I can't speak in the call now: "
=======
	deafNow = "I can't understand you in the call now: the server for transcriptions "
	dumbNow = "I can't speak in the call now: the server for speech failed "
>>>>>>> 110f0f3c034ea6ac4d7675b73ac2e24c6d1dd7f4
)

// TestARecogniserThatFails: people are told once, and heard again when it works again.
func TestARecogniserThatFails(t *testing.T) {
<<<<<<< HEAD
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
=======
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
>>>>>>> 110f0f3c034ea6ac4d7675b73ac2e24c6d1dd7f4
			})
		})
	}
}

<<<<<<< HEAD
// TestARecogniserThatIsCutOff: what was said before and after is heard.
func TestARecogniserThatIsCutOff(t *testing.T) {
	model := script.New(script.Say("It is open."), script.Say("It is open."))
=======
// TestARecogniserThatIsCutOff: the connection is made again in the middle of the sentence, of which nothing is said twice.
func TestARecogniserThatIsCutOff(t *testing.T) {
	model := script.New(script.Say("They are open."))
>>>>>>> 110f0f3c034ea6ac4d7675b73ac2e24c6d1dd7f4
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		time.AfterFunc(time.Second, l.ears.Break)
		ada.ask("open the window and the door")
<<<<<<< HEAD
		t.Log(l.chat("Lounge"), l.ears.Asked(), len(model.Requests()))
=======
		asked := model.Requests()[0].Messages[0].Text
		if !strings.Contains(asked, "]: open the ") || !strings.HasSuffix(asked, "the door") || strings.Count(asked, "open") != 1 {
			t.Errorf("the model was asked\n%s", asked)
		}
		if got := ada.hears(); got != "they are open." || l.said("⚠️") > 0 {
			t.Errorf("ada hears %q, and the chat has\n%s", got, l.chat("Lounge"))
		}
>>>>>>> 110f0f3c034ea6ac4d7675b73ac2e24c6d1dd7f4
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
<<<<<<< HEAD
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
=======
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
>>>>>>> 110f0f3c034ea6ac4d7675b73ac2e24c6d1dd7f4
			})
		})
	}
}

<<<<<<< HEAD
=======
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

>>>>>>> 110f0f3c034ea6ac4d7675b73ac2e24c6d1dd7f4
// TestAModelThatTakesTooLong: after thirty seconds the bot apologises, and the turn is over.
func TestAModelThatTakesTooLong(t *testing.T) {
	model := thinking(after(time.Hour, "It is open."), script.Say("It is shut."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.say("open the window")
		asked := time.Now()
		l.wait(time.Minute)
<<<<<<< HEAD
		t.Log(ada.hears(), "\n", l.chat("Lounge"), len(model.Requests()), model.cut.Load(), model.last.Load().Sub(asked))
		ada.ask("shut the door")
		t.Log(ada.hears(), "\n", l.chat("Lounge"), len(model.Requests()))
=======
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
>>>>>>> 110f0f3c034ea6ac4d7675b73ac2e24c6d1dd7f4
	})
}
