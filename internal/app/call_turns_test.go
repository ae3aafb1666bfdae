package app

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// A mind is a model that counts the calls that were cut off.
type mind struct {
	*script.Replies
	cut  atomic.Int32
	last atomic.Pointer[time.Time] // when one was
}

func thinking(answers ...script.Answer) *mind { return &mind{Replies: script.New(answers...)} }

func (m *mind) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.Replies.Invoke(ctx, req)(yield)
		if ctx.Err() != nil {
			now := time.Now()
			m.last.Store(&now)
			m.cut.Add(1)
		}
	}
}

// after is an answer that takes its time.
func after(d time.Duration, text string) script.Answer {
	return script.Answer{script.Pause(d), script.Text(text)}
}

// lastWords is what the latest request is about, behind all that the prompt tells besides.
func (m *mind) lastWords() string {
	all := m.Requests()
	_, words, _ := strings.Cut(all[len(all)-1].Messages[0].Text, "\n\nIt is ")
	return words
}

func TestWhoeverSaysMoreWhileTheModelThinksIsAnsweredOnce(t *testing.T) {
	model := thinking(after(10*time.Second, "Only the first."), after(time.Second, "Both at once."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.say("open the window")
		l.wait(2 * time.Second)
		ada.ask("and the door")
		if n, cut := len(model.Requests()), model.cut.Load(); n != 2 || cut != 1 {
			t.Errorf("the model was asked %d times, of which %d were stopped", n, cut)
		}
		if got := model.Requests()[1].Messages[0].Text; strings.Count(got, "]: open the window") != 1 || strings.Count(got, "]: and the door") != 1 {
			t.Errorf("the model was asked\n%s", got)
		}
		if got := ada.hears(); got != "both at once." {
			t.Errorf("ada hears %q", got)
		}
		if all := l.chat("Lounge"); strings.Contains(all, "Only the first") || strings.Contains(all, "Thinking") || strings.Count(all, "open the window") != 1 {
			t.Errorf("the chat has\n%s", all)
		}
	})
}

func TestAnotherPersonWaitsTheirTurn(t *testing.T) {
	model := thinking(after(5*time.Second, "The window is open."), after(time.Second, "The door is shut."))
	inCall(t, model, func(l *lounge) {
		ada, bob := l.enter("ada"), l.enter("bob")
		ada.say("disco claw, open the window")
		l.wait(time.Second)
		bob.ask("disco claw, shut the door")
		if n, cut := len(model.Requests()), model.cut.Load(); n != 2 || cut != 0 {
			t.Errorf("the model was asked %d times, of which %d were stopped", n, cut)
		}
		for who, c := range map[string]*caller{"ada": ada, "bob": bob} {
			if got := c.hears(); got != "the window is open. the door is shut." {
				t.Errorf("%s hears %q", who, got)
			}
		}
		if got := model.lastWords(); !strings.Contains(got, "[bob ") || strings.Contains(got, "window") {
			t.Errorf("bob's turn is about %q", got)
		}
	})
}

// tale is told for a minute, sentence by sentence.
var tale = strings.TrimSpace(strings.Repeat("once upon a time there was a king. he had a fine crown. ", 12))

// TestWhoeverTalksIntoAnAnswerEndsIt: the bot falls silent, nothing further is asked for, and nothing further is paid.
func TestWhoeverTalksIntoAnAnswerEndsIt(t *testing.T) {
	for name, answer := range map[string]script.Answer{"written": script.Say(tale), "being written": script.Typing(tale, 200*time.Millisecond)} {
		t.Run(name, func(t *testing.T) {
			model := thinking(answer, script.Say("All right."))
			inCall(t, model, func(l *lounge) {
				ada := l.enter("ada")
				ada.say("tell me a tale")
				ada.awaits("he had a")
				began := time.Now()
				ada.say("no no enough of that")
				understood := l.ears.ToldAt("no no")
				if silent := ada.heardAt(); silent.Before(began) || silent.Sub(understood) > 60*time.Millisecond {
					t.Errorf("the bot is silent %v after it understood", silent.Sub(understood))
				}
				asked, spent := len(l.mouth.Asked()), l.spoken()
				l.wait(20 * time.Second)
				if cut := model.cut.Load(); name == "being written" && (cut != 1 || model.last.Load().Sub(understood) > 60*time.Millisecond) {
					t.Errorf("%d calls of the model were cancelled, at %v", cut, model.last.Load())
				}
				if n, paid := len(l.mouth.Asked())-asked, l.spoken()-spent; n != 1 || paid != len("All right.") {
					t.Errorf("%d more sentences were synthesised, and %d characters paid", n, paid)
				}
				if got := ada.hears(); !strings.HasSuffix(got, " all right.") || strings.Count(got, "once upon") > 2 {
					t.Errorf("ada hears %q", got)
				}
			})
		})
	}
}

// spoken is how many characters were paid for.
func (l *lounge) spoken() (n int) {
	l.t.Helper()
	l.must(l.bot.core.db.QueryRowContext(l.t.Context(), "SELECT COALESCE(SUM(characters), 0) FROM spending").Scan(&n))
	return n
}

func TestASoundOfAttentionDoesNotInterrupt(t *testing.T) {
	const short = "once upon a time there was a king. he had a fine crown."
	for name, said := range map[string]string{"attention": "mhm", "echo": "a time there was a king"} {
		t.Run(name, func(t *testing.T) {
			model := thinking(script.Say(short))
			inCall(t, model, func(l *lounge) {
				ada := l.enter("ada")
				ada.say("tell me a tale")
				ada.awaits("there was a")
				ada.ask(said)
				if got := ada.hears(); got != short || len(model.Requests()) != 1 {
					t.Errorf("after %q ada hears %q, and the model was asked %d times", said, got, len(model.Requests()))
				}
			})
		})
	}
}

// TestStoppingSilences: whichever way, at once, also while the model writes and Discord takes its time.
func TestStoppingSilences(t *testing.T) {
	ways := map[string]func(l *lounge){
		"stop sign": func(l *lounge) { l.must(l.React("ada", l.answer(), "🛑")) },
		"command":   func(l *lounge) { l.MustSay("ada", "general", "!stop") },
		"button": func(l *lounge) {
			_, err := l.press("ada", l.answer(), "Stop")
			l.must(err)
		},
	}
	for name, answer := range map[string]script.Answer{"written": script.Say(tale), "being written": script.Typing(tale, 200*time.Millisecond)} {
		for way, stop := range ways {
			if name == "written" && way == "button" {
				continue // it is gone by then
			}
			t.Run(name+" "+way, func(t *testing.T) {
				model := thinking(answer)
				inCall(t, model, func(l *lounge) {
					ada := l.enter("ada")
					ada.say("tell me a tale")
					ada.awaits("he had a")
					l.Fail(fakediscord.Fault{Match: "PATCH /channels/{channel}/messages/{message}", Kind: fakediscord.Hang})
					began := time.Now()
					stop(l)
					l.wait(time.Second)
					l.Recover()
					l.wait(time.Minute)
					if late := ada.heardAt().Sub(began); late > 60*time.Millisecond {
						t.Errorf("the bot is silent after %v: %q", late, ada.hears())
					}
					if cut := model.cut.Load(); name == "being written" && cut != 1 {
						t.Errorf("%d calls of the model were cancelled", cut)
					}
					if text := l.chat("Lounge"); strings.Contains(text, "Thinking") {
						t.Errorf("the chat has\n%s", text)
					}
				})
			})
		}
	}
}

// press presses a button by what it says.
func (l *lounge) press(who string, m chat.MessageID, label string) (fakediscord.Answer, error) {
	message, _ := l.Message(m)
	for _, b := range message.Buttons() {
		if b.Label == label {
			return l.Press(who, m, b.CustomID)
		}
	}
	return fakediscord.Answer{}, fmt.Errorf("there is no button %q below %q", label, message.Content)
}

// answer is the bot's last message in the lounge.
func (l *lounge) answer() chat.MessageID {
	all := l.Messages("Lounge")
	return all[len(all)-1].ID
}

// TestWhatPeopleSayToEachOtherStaysBetweenThem: the bot shows, keeps and answers nothing of it.
func TestWhatPeopleSayToEachOtherStaysBetweenThem(t *testing.T) {
	model := thinking(script.Say("It is open."))
	inCall(t, model, func(l *lounge) {
		ada, bob := l.enter("ada"), l.enter("bob")
		ada.ask("my password is swordfish, bob")
		bob.ask("swordfish it is")
		if n := len(model.Requests()); n > 0 {
			t.Errorf("the model was asked %d times", n)
		}
		ada.ask("disco claw, open the window")
		bob.ask("i like the swordfish")
		if n := len(model.Requests()); n != 1 {
			t.Errorf("the model was asked %d times", n)
		}
		for _, r := range model.Requests() {
			if strings.Contains(r.System+r.Messages[0].Text, "swordfish") {
				t.Errorf("the model was told\n%s", r.Messages[0].Text)
			}
		}
		if strings.Contains(l.stored()+l.Transcript(), "swordfish") {
			t.Errorf("it is kept or shown\n%s", l.Transcript())
		}
	})
}

// TestNoWakeWordIsNeededToGoOn for eight seconds, by whom the bot talks with.
func TestNoWakeWordIsNeededToGoOn(t *testing.T) {
	answered := func(pause time.Duration, who func(ada, bob *caller) *caller, want int) func(*testing.T) {
		return func(t *testing.T) {
			model := thinking(script.Say("It is open."), script.Say("Yes."))
			inCall(t, model, func(l *lounge) {
				ada, bob := l.enter("ada"), l.enter("bob")
				ada.say("disco claw, open the window")
				ada.awaits("it is open.")
				l.wait(pause)
				who(ada, bob).ask("and the door")
				if n := len(model.Requests()); n != want {
					t.Errorf("the model was asked %d times\n%s", n, l.Transcript())
				}
			})
		}
	}
	ada, bob := func(a, _ *caller) *caller { return a }, func(_, b *caller) *caller { return b }
	t.Run("in time", answered(7*time.Second, ada, 2))
	t.Run("too late", answered(9*time.Second, ada, 1))
	t.Run("somebody else", answered(time.Second, bob, 1))
}

// TestAReminderIsPostedInTheCallsChat where it was asked for, also when everybody has left.
func TestAReminderIsPostedInTheCallsChat(t *testing.T) {
	model := script.New(script.Say(`I'll remind you.<discord-action>{"type":"remind","text":"stretch","in":"10m"}</discord-action>`))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.ask("remind me to stretch in ten minutes")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if got := apptest.Last(l.World, "Lounge"); !strings.Contains(got, "stretch") || !strings.Contains(got, l.UserID("ada").Mention()) {
			t.Errorf("the chat ends with %q", got)
		}
	})
}
