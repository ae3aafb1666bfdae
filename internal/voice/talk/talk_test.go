package talk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/talk"
)

const (
	ada, bob chat.UserID = "1", "2"

	synthesis = 300 * time.Millisecond
	playback  = 2 * time.Second // of each sentence
	apology   = "Sorry, that takes too long."
)

// A call is a room with people, and a loudspeaker that keeps what it plays.
type call struct {
	*talk.Room
	t     *testing.T
	leave func()

	mu          sync.Mutex
	people      int
	begun       []string // what was said to the bot
	synthesised []string
	played      []string // with a mark if it was cut
	failed      int
	broken      error // of each synthesis
	sounding    string
	open        int // sounds that are not closed
}

const cut = " (cut)"

// join is for one call of a test in a synctest bubble.
func join(t *testing.T, o talk.Options) *call {
	c := &call{t: t, people: 1}
	o.Begin = func(u talk.Utterance) { c.note(&c.begun, u.Text) }
	o.Synthesise, o.Play = c.synthesise, c.play
	o.People = func() int { c.mu.Lock(); defer c.mu.Unlock(); return c.people }
	o.Failed = func(error) { c.mu.Lock(); defer c.mu.Unlock(); c.failed++ }
	o.Apology, o.Wake = apology, []string{"DiscoClaw"}
	c.Room = talk.New(o)
	ctx, leave := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	c.leave = func() { leave(); running.Wait() }
	t.Cleanup(func() {
		c.leave()
		if c.open != 0 {
			t.Errorf("%d sounds were not closed", c.open)
		}
	})
	return c
}

func (c *call) note(list *[]string, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, text)
}

func (c *call) synthesise(ctx context.Context, _ chat.UserID, text string) (talk.Sound, error) {
	c.note(&c.synthesised, text)
	select {
	case <-time.After(synthesis):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return nil, c.broken
	}
	c.open++
	return &sound{call: c, text: text}, nil
}

type sound struct {
	call *call
	text string
}

func (*sound) Read([]int16) (int, error) {
	return 0, errors.New("the loudspeaker knows how long it is")
}

func (s *sound) Close() {
	s.call.mu.Lock()
	defer s.call.mu.Unlock()
	s.call.open--
}

func (c *call) play(ctx context.Context, s talk.Sound) error {
	text := s.(*sound).text
	c.mu.Lock()
	if c.sounding != "" {
		c.t.Errorf("%q sounds while %q does", text, c.sounding)
	}
	c.sounding = text
	c.mu.Unlock()
	var err error
	select {
	case <-time.After(playback):
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sounding = ""; err != nil {
		text += cut
	}
	c.played = append(c.played, text)
	return err
}

// says has a person say something that takes as long as it takes to say it, and was understood at once.
func (c *call) says(who chat.UserID, text string, final bool) {
	lasts := time.Duration(len(text)) * 60 * time.Millisecond
	time.Sleep(lasts)
	c.hears(who, text, final, lasts)
}

func (c *call) hears(who chat.UserID, text string, final bool, lasts time.Duration) {
	c.Heard(talk.Utterance{User: who, Text: text, Final: final, Began: time.Now().Add(-lasts), Ended: time.Now()})
	synctest.Wait()
}

// answers begins an answer of one sentence or several, and returns it, and how often it was interrupted.
func (c *call) answers(to chat.UserID, sentences ...string) (*talk.Answer, *int) {
	n := new(int)
	a := c.Answer(to, func(chat.UserID) { *n++ })
	for _, s := range sentences {
		a.Say(s)
	}
	synctest.Wait()
	return a, n
}

func (c *call) now() (begun, played []string, sounding string) {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.begun), slices.Clone(c.played), c.sounding
}

// The states that a call can be in. Ada has asked something; Bob's question waits.
var states = map[string]func(*call) (*talk.Answer, *int){
	"thinking":     func(c *call) (*talk.Answer, *int) { return c.answers(ada) },
	"synthesising": func(c *call) (*talk.Answer, *int) { return c.answers(ada, "It rains in Berlin today.", "Take a coat.") },
	"speaking": func(c *call) (*talk.Answer, *int) {
		a, n := c.answers(ada, "It rains in Berlin today.", "Take a coat.")
		time.Sleep(synthesis + playback/2)
		return a, n
	},
	"between sentences": func(c *call) (*talk.Answer, *int) {
		a, n := c.answers(ada, "It rains in Berlin today.")
		time.Sleep(synthesis + playback + time.Second)
		return a, n
	},
}

func TestWhatIsSaidInEachState(t *testing.T) {
	const long, short = time.Second, 300 * time.Millisecond
	says := func(who chat.UserID, text string, final bool, lasts time.Duration) func(*call) {
		return func(c *call) { c.hears(who, text, final, lasts) }
	}
	type result struct{ begins, interrupts, silences bool }
	events := map[string]func(*call){
		"interim words":       says(ada, "no wait", false, short),
		"final words":         says(ada, "no wait", true, short),
		"a short word":        says(ada, "mhm", true, short),
		"a long word":         says(ada, "mhm", true, long),
		"Japanese":            says(ada, "待って", false, short),
		"longer Japanese":     says(ada, "待ってください", false, short),
		"noise":               says(ada, "…", true, long),
		"echo":                says(ada, "rains in Berlin to day", true, long),
		"another's words":     says(bob, "I had soup", true, long),
		"another's call":      says(bob, "disco claw, and tomorrow?", true, long),
		"another's call, yet": says(bob, "disco claw, and", false, long),
		"mute":                func(c *call) { c.Mute(true) },
		"leave":               func(c *call) { c.leave() },
	}
	for state, want := range map[string]map[string]result{
		"thinking": {
			"interim words": {}, "final words": {begins: true}, "a short word": {begins: true}, "a long word": {begins: true},
			"Japanese": {}, "longer Japanese": {}, "noise": {}, "echo": {begins: true},
			"another's words": {}, "another's call": {begins: true}, "another's call, yet": {},
			"mute": {silences: true}, "leave": {interrupts: true, silences: true},
		},
		// What nobody has heard yet is not interrupted but dropped: the model goes on with what was added.
		"synthesising": {
			"interim words": {silences: true}, "final words": {begins: true, silences: true}, "a short word": {begins: true, silences: true},
			"a long word": {begins: true, silences: true}, "Japanese": {}, "longer Japanese": {silences: true}, "noise": {},
			"echo": {begins: true, silences: true}, "another's words": {}, "another's call": {begins: true}, "another's call, yet": {},
			"mute": {silences: true}, "leave": {interrupts: true, silences: true},
		},
		"speaking": {
			"interim words": {interrupts: true, silences: true}, "final words": {true, true, true}, "a short word": {}, "a long word": {true, true, true},
			"Japanese": {}, "longer Japanese": {interrupts: true, silences: true}, "noise": {}, "echo": {},
			"another's words": {}, "another's call": {true, true, true}, "another's call, yet": {interrupts: true, silences: true},
			"mute": {silences: true}, "leave": {interrupts: true, silences: true},
		},
		"between sentences": {
			"interim words": {interrupts: true, silences: true}, "final words": {true, true, true}, "a short word": {}, "a long word": {true, true, true},
			"Japanese": {}, "longer Japanese": {interrupts: true, silences: true}, "noise": {}, "echo": {},
			"another's words": {}, "another's call": {true, true, true}, "another's call, yet": {interrupts: true, silences: true},
			"mute": {silences: true}, "leave": {interrupts: true, silences: true},
		},
	} {
		for event, happens := range events {
			t.Run(state+", "+event, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := join(t, talk.Options{})
					c.people = 2
					c.says(ada, "DiscoClaw, how is the weather?", true)
					c.begun = nil
					a, interrupted := states[state](c)
					queued, n := c.answers(bob) // his question is kept, whatever becomes of hers
					happens(c)
					begun, _, sounding := c.now()
					a.Say("It is cold.")
					time.Sleep(time.Minute / 3)
					_, played, _ := c.now()
					got := result{len(begun) > 0, *interrupted > 0, !slices.Contains(played, "It is cold.")}
					if got != want[event] {
						t.Errorf("begins, interrupts, silences: %v, want %v", got, want[event])
					}
					if got.silences && sounding != "" {
						t.Errorf("%q still sounds", sounding)
					}
					if event == "stop" || event == "leave" || event == "mute" {
						return
					}
					a.End()
					queued.Say("Soup.")
					time.Sleep(5 * time.Second)
					if _, played, _ := c.now(); *n != 0 || played[len(played)-1] != "Soup." {
						t.Errorf("Bob's answer was interrupted %d times, and the last words were %q", *n, played)
					}
				})
			})
		}
	}
}

// TestSentencesFollowOneAnother without a gap: what comes next is synthesised before, but no more than that.
func TestSentencesFollowOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{})
		began := time.Now()
		a, _ := c.answers(ada, "One.", "Two.", "Three.", "Four.")
		time.Sleep(synthesis)
		synctest.Wait()
		if got := strings.Join(c.synthesised, " "); len(c.synthesised) != 3 {
			t.Errorf("synthesised ahead: %s", got)
		}
		a.End()
		if spoken := a.Wait(t.Context()); spoken != "One. Two. Three. Four." || time.Since(began) != synthesis+4*playback {
			t.Errorf("%q was said after %v", spoken, time.Since(began))
		}
	})
}

// TestTheBotFallsSilentAtOnce when it is interrupted, and tells how much of the answer was heard.
func TestTheBotFallsSilentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{})
		a, interrupted := c.answers(ada, "One.", "Two.", "Three.")
		time.Sleep(synthesis + playback + playback/2)
		began := time.Now()
		c.hears(ada, "that is enough", false, time.Second)
		if _, played, sounding := c.now(); sounding != "" || !slices.Equal(played, []string{"One.", "Two." + cut}) || time.Since(began) > 60*time.Millisecond {
			t.Errorf("%v after she spoke, %q was played, and %q sounds", time.Since(began), played, sounding)
		}
		if spoken := a.Wait(t.Context()); spoken != "One. Two." || *interrupted != 1 {
			t.Errorf("%q was heard, and it was interrupted %d times", spoken, *interrupted)
		}
		a.Say("Four.")
		time.Sleep(time.Minute)
		if _, played, _ := c.now(); len(played) != 2 || len(c.synthesised) != 3 {
			t.Errorf("after that, %q were played, of %q", played, c.synthesised)
		}
	})
}

// TestWhoMayInterrupt: whoever is answered, without naming the bot again. Somebody else who is talking with it waits for their turn.
func TestWhoMayInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{Addressing: talk.Wake})
		hers, interrupted := c.answers(ada)
		time.Sleep(15 * time.Second)
		hers.Say("One.")
		hers.Say("Two.")
		c.hears(bob, "discoclaw a question", true, 0)
		time.Sleep(synthesis + time.Second)
		c.hears(bob, "about the weather", true, time.Second)
		if begun, _, sounding := c.now(); len(begun) != 2 || *interrupted != 0 || sounding != "One." {
			t.Errorf("%q was for the bot, %q sounds", begun, sounding)
		}
		c.hears(ada, "never mind", true, time.Second)
		if begun, _, sounding := c.now(); len(begun) != 3 || *interrupted != 1 || sounding != "" {
			t.Errorf("%q was for the bot, %q sounds", begun, sounding)
		}
		if c.failed != 0 {
			t.Error("what was interrupted was told to have failed")
		}
	})
}

func TestWhoIsMeant(t *testing.T) {
	for _, tt := range []struct {
		name       string
		addressing talk.Addressing
		people     int
		talk       func(*call)
		want       string
	}{
		{"alone with the bot", talk.Auto, 1, func(c *call) { c.says(ada, "hello", true) }, "hello"},
		{"among people", talk.Auto, 2, func(c *call) { c.says(ada, "hello", true) }, ""},
		{"by name", talk.Auto, 2, func(c *call) { c.says(ada, "hello, DISCOCLAW!", true) }, "hello, DISCOCLAW!"},
		{"by its name as recognisers hear it", talk.Auto, 2, func(c *call) { c.says(ada, "hello disco claw", true) }, "hello disco claw"},
		{"by a part of a word", talk.Auto, 2, func(c *call) { c.says(ada, "discoclaws are fun, my disco clawed", true) }, ""},
		{"always", talk.Always, 9, func(c *call) { c.says(ada, "hello", true) }, "hello"},
		{"never without a name", talk.Wake, 1, func(c *call) { c.says(ada, "hello", true) }, ""},
		{"goes on", talk.Auto, 2, func(c *call) {
			c.says(ada, "discoclaw hello", true)
			time.Sleep(7 * time.Second)
			c.says(ada, "how are you", true) // which takes a while
			time.Sleep(9 * time.Second)
			c.says(ada, "too late", true)
			c.says(bob, "not me", true)
		}, "discoclaw hello/how are you"},
		{"goes on after the answer", talk.Auto, 2, func(c *call) {
			a, _ := c.answers(ada, "Hello.")
			a.End()
			a.Wait(c.t.Context())
			time.Sleep(6 * time.Second)
			c.says(bob, "not me", true)
			c.says(ada, "and you", true)
		}, "and you"},
		{"goes on after !stop", talk.Auto, 2, func(c *call) {
			a, _ := c.answers(ada, "Well, you know.")
			time.Sleep(time.Second)
			a.Drop()
			c.says(ada, "thanks", true)
		}, "thanks"},
		{"has been talked over", talk.Auto, 2, func(c *call) {
			c.answers(ada, "Well, you know.")
			time.Sleep(time.Second)
			c.says(bob, "discoclaw be", false)
			c.hears(bob, "be quiet", true, 3*time.Second) // the name was misheard in the end
		}, "be quiet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := join(t, talk.Options{Addressing: tt.addressing})
				c.people = tt.people
				tt.talk(c)
				if begun, _, _ := c.now(); strings.Join(begun, "/") != tt.want {
					t.Errorf("%q was for the bot, want %q", begun, tt.want)
				}
			})
		})
	}
}

// TestAnEchoIsKnown also when it comes late, of two sentences, or with mistakes; words of a person that are in the sentence by chance are theirs.
func TestAnEchoIsKnown(t *testing.T) {
	for heard, want := range map[string]bool{
		"the museum opens at ten": true, "museum open at ten and it's": true, "at 10 and it is free on Sundays": true,
		"when does the museum close": false, "and on Mondays": false, "it is fine by me": false,
	} {
		t.Run(heard, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := join(t, talk.Options{})
				a, _ := c.answers(ada, "The museum opens at ten.", "And it is free on Sundays.")
				a.End()
				a.Wait(t.Context())
				time.Sleep(200 * time.Millisecond)
				c.hears(ada, heard, true, 3*time.Second)
				if begun, _, _ := c.now(); (len(begun) == 0) != want {
					t.Errorf("it was taken for an echo: %v", len(begun) == 0)
				}
				time.Sleep(5 * time.Second)
				c.hears(ada, "and it is free on Sundays", true, 3*time.Second)
				if begun, _, _ := c.now(); begun[len(begun)-1] != "and it is free on Sundays" {
					t.Error("a person who asks back was taken for an echo")
				}
			})
		})
	}
}

// TestWhatTheBotRepeatsIsNoEcho: a recogniser may be slow, and the bot quick to take up what was said before.
func TestWhatTheBotRepeatsIsNoEcho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{})
		c.answers(bob, "When does the museum open?")
		said := talk.Utterance{User: ada, Text: "when does the museum open", Final: true, Began: time.Now().Add(-3 * time.Second), Ended: time.Now()}
		time.Sleep(synthesis + time.Second)
		c.Heard(said)
		if begun, _, _ := c.now(); len(begun) != 1 {
			t.Error("it was taken for an echo")
		}
	})
}

func TestNobodyWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{})
		_, slow := c.answers(ada)
		time.Sleep(20 * time.Second)
		quick, n := c.answers(bob, "Soon.")
		time.Sleep(10*time.Second + synthesis + playback - time.Millisecond)
		if _, played, sounding := c.now(); *slow != 1 || sounding != apology || len(played) != 0 {
			t.Errorf("it was interrupted %d times; played %q, sounding %q", *slow, played, sounding)
		}
		time.Sleep(10 * time.Second)
		if _, played, _ := c.now(); *n != 0 || !slices.Equal(played, []string{apology, "Soon."}) {
			t.Errorf("Bob's answer was interrupted %d times: %q", *n, played)
		}
		quick.End()
		if spoken := quick.Wait(t.Context()); spoken != "Soon." {
			t.Errorf("Bob heard %q", spoken)
		}
	})
}

func TestAFailureIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{})
		c.broken = errors.New("no voice")
		a, _ := c.answers(ada, "One.", "Two.", "Three.")
		time.Sleep(time.Second)
		synctest.Wait()
		if c.failed != 1 {
			t.Errorf("told %d times", c.failed)
		}
		c.broken = nil
		a.Say("Four.")
		a.End()
		if spoken := a.Wait(t.Context()); spoken != "Four." {
			t.Errorf("said %q", spoken)
		}
		c.broken = errors.New("again")
		b, _ := c.answers(ada, "Five.")
		b.End()
		b.Wait(t.Context())
		synctest.Wait()
		if c.failed != 2 {
			t.Errorf("told %d times", c.failed)
		}
	})
}

// TestAMutedBotCostsNothing: what it would say is not synthesised.
func TestAMutedBotCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{})
		c.Mute(true)
		a, interrupted := c.answers(ada, "One.")
		c.hears(ada, "are you there", true, time.Second)
		time.Sleep(time.Minute)
		if len(c.synthesised) != 0 || *interrupted != 0 {
			t.Errorf("synthesised %q, interrupted %d times", c.synthesised, *interrupted)
		}
		c.Mute(false)
		a.Say("Two.")
		a.End()
		if spoken := a.Wait(t.Context()); spoken != "Two." {
			t.Errorf("said %q", spoken)
		}
	})
}

func TestAfterTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := join(t, talk.Options{})
		c.leave()
		c.hears(ada, "is anybody there", true, time.Second)
		a, _ := c.answers(ada, "No.")
		if spoken := a.Wait(t.Context()); spoken != "" || len(c.begun) != 0 || len(c.synthesised) != 0 {
			t.Errorf("said %q, begun %q, synthesised %q", spoken, c.begun, c.synthesised)
		}
	})
}

func ExampleRoom() {
	var room *talk.Room
	var answer *talk.Answer
	room = talk.New(talk.Options{
		People: func() int { return 1 },
		Begin: func(u talk.Utterance) { // a turn begins
			fmt.Println("asked:", u.Text)
			answer = room.Answer(u.User, func(chat.UserID) {})
			answer.Say("Half past nine.")
			answer.End()
		},
		Synthesise: func(_ context.Context, _ chat.UserID, sentence string) (talk.Sound, error) {
			return &sound{new(call), sentence}, nil
		},
		Play: func(_ context.Context, s talk.Sound) error { fmt.Println("says:", s.(*sound).text); return nil },
	})
	ctx, hangUp := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { room.Run(ctx) })
	room.Heard(talk.Utterance{User: ada, Text: "What time is it?", Final: true, Began: time.Now(), Ended: time.Now()})
	answer.Wait(ctx)
	hangUp()
	running.Wait()
	// Output:
	// asked: What time is it?
	// says: Half past nine.
}
