package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/tones"
)

// requireUnheard fails if any sound has reached the recogniser, or the model was asked.
func (l *lounge) requireUnheard(model *script.Replies) {
	l.t.Helper()
	if n, asked := l.ears.Samples(), l.ears.Asked(); n > 0 || asked > 0 {
		l.t.Errorf("%d samples reached the recogniser, in %d requests", n, asked)
	}
	if n := len(model.Requests()); n > 0 {
		l.t.Errorf("the model was asked %d times", n)
	}
}

const opensTask = `<discord-action>{"type":"taskCreate","title":"buy a yacht"}</discord-action>`

// obedient is a model that does as anybody says.
func obedient() *script.Replies { return script.New(script.Say("Yes." + opensTask)) }

func TestStrangersAndBotsAreNotHeard(t *testing.T) {
	for _, who := range []string{"zed", "Robot"} {
		t.Run(who, func(t *testing.T) {
			model := obedient()
			inCall(t, model, func(l *lounge) {
				l.enter("ada")
				l.enter(who).ask("open a task to buy a yacht")
				l.requireUnheard(model)
				if strings.Contains(l.Transcript()+l.stored(), "yacht") {
					t.Errorf("what %s said is kept\n%s", who, l.Transcript())
				}
			})
		})
	}
}

// TestAListedBotIsNotHeard: the list of people may name one by mistake.
func TestAListedBotIsNotHeard(t *testing.T) {
	model := obedient()
	inLoungeWith(t, inLounge, model, func(l *lounge) {
		_, _ = l.stop()
		for _, list := range []string{"DISCORD_ALLOW_USER_IDS", "DISCORD_ALLOW_BOT_IDS"} {
			l.env[list] += "," + string(l.UserID("Robot"))
		}
		l.AwaitStart()
		l.start(model)
		l.join()
		l.enter("Robot").ask("open a task to buy a yacht")
		l.requireUnheard(model)
	})
}

// TestAnSSRCThatChangesHands is no way to speak in another's name: sound is decrypted with the key of whom it is said to be from.
func TestAnSSRCThatChangesHands(t *testing.T) {
	model := obedient()
	inCall(t, model, func(l *lounge) {
		ada, zed := l.enter("ada"), l.enter("zed")
		for speaker, owner := range map[*caller]*caller{zed: ada, ada: zed} {
			speaker.call.Speaking(true)
			l.wait(time.Second)
			l.calls.Tell(l.number("bot"), 5, map[string]any{"user_id": fmt.Sprint(owner.id), "ssrc": l.calls.SSRC(speaker.id), "speaking": 1})
			l.wait(time.Second)
			speaker.send("open a task to buy a yacht")
			l.wait(20 * time.Second)
			l.requireUnheard(model)
		}
	})
}

// TestWhoeverDoesNotWantToBeHeardIsNot, from that moment on: in the middle of a sentence, and after its last word, before it was understood.
func TestWhoeverDoesNotWantToBeHeardIsNot(t *testing.T) {
	const said = "open a task to buy a yacht with three masts"
	whole := time.Duration(len(tones.Say(said))) * time.Second / opus.Rate
	for name, after := range map[string]time.Duration{"mid-sentence": 2200 * time.Millisecond, "last word": whole + 200*time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			model := obedient()
			inCall(t, model, func(l *lounge) {
				ada := l.enter("ada")
				before := make(chan int, 1)
				time.AfterFunc(after, func() { l.MustSay("ada", "Lounge", "!voice ignore me") })
				time.AfterFunc(after+50*time.Millisecond, func() { before <- l.ears.Samples() })
				ada.ask(said)
				if before, now := <-before, l.ears.Samples(); before == 0 || now > before {
					t.Errorf("after %d samples, %d more were recognised", before, now-before)
				}
				ada.ask("open a task to buy a yacht")
				if n := len(model.Requests()); n > 0 || strings.Contains(l.stored(), "yacht") {
					t.Errorf("the model was asked %d times\n%s", n, l.Transcript())
				}
				l.MustSay("ada", "Lounge", "!voice hear me")
				ada.ask("open a task to buy a yacht")
				if n := len(model.Requests()); n != 1 {
					t.Errorf("the model was asked %d times once she wants to be heard again", n)
				}
			})
		})
	}
}

// TestNobodyIsHeardBeforeTheyAreTold: the notice takes Discord ten seconds.
func TestNobodyIsHeardBeforeTheyAreTold(t *testing.T) {
	model := obedient()
	inLoungeWith(t, inLounge, model, func(l *lounge) {
		l.must(l.EnterVoice("ada", "Lounge"))
		l.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Hang})
		l.join()
		ada := l.dial("ada")
		ada.ask("open a task to buy a yacht")
		l.requireUnheard(model)
		l.Recover()
		l.wait(time.Minute)
		if text := l.chat("Lounge"); !strings.Contains(text, "`!voice ignore me`") {
			l.t.Fatalf("nobody was told: %s", text)
		}
		ada.ask("open a task to buy a yacht")
		if n := len(model.Requests()); n != 1 {
			t.Errorf("the model was asked %d times\n%s", n, l.Transcript())
		}
	})
}

// TestNobodyIsHeardWhoCannotBeTold: neither where the bot may not write, nor who enters when it may not any more.
func TestNobodyIsHeardWhoCannotBeTold(t *testing.T) {
	t.Run("at the beginning", func(t *testing.T) {
		model := obedient()
		inLoungeWith(t, inLounge, model, func(l *lounge) {
			l.must(l.EnterVoice("ada", "Lounge"))
			l.must(l.Deny("Lounge", "bot", chat.SendMessages))
			l.join()
			l.dial("ada").ask("open a task to buy a yacht")
			l.requireUnheard(model)
		})
	})
	t.Run("later", func(t *testing.T) {
		model := obedient()
		inCall(t, model, func(l *lounge) {
			l.must(l.Deny("Lounge", "bot", chat.SendMessages))
			l.wait(time.Second)
			l.enter("ada").ask("open a task to buy a yacht")
			l.requireUnheard(model)
		})
	})
}

// TestWhoeverIsInAnotherRoomIsTold when a moderator moves the bot there, and heard after that.
func TestWhoeverIsInAnotherRoomIsTold(t *testing.T) {
	model := script.New(script.Say("It is open."))
	inCall(t, model, func(l *lounge) {
		l.enter("ada")
		l.must(l.EnterVoice("bob", "Attic"))
		l.wait(time.Second)
		l.must(l.EnterVoice("bot", "Attic"))
		l.wait(time.Second)
		bob := l.dial("bob")
		if text := l.chat("Attic"); !strings.Contains(text, "`!voice ignore me`") {
			t.Errorf("nobody was told: %s", text)
		}
		bob.ask("open the window")
		if got := bob.hears(); got != "it is open." || l.chat("Attic") == "" {
			t.Errorf("bob hears %q\n%s", got, l.Transcript())
		}
	})
}
