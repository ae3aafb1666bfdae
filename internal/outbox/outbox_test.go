package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions/town"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/outbox"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// An office is an outbox in a small Discord, whose process can be killed and begin anew.
type office struct {
	*town.Town
	t    *testing.T
	db   *store.DB
	left int  // messages until the process is killed; below 0 means never
	late bool // it is killed after Discord has taken the message, and not before
}

var errDead = errors.New("the process is dead")

func inOffice(t *testing.T, test func(t *testing.T, o *office)) {
	t.Helper()
	town.In(t, "guild disco: #general\nmember ada: owner", func(t *testing.T, w *town.Town) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		test(t, &office{Town: w, t: t, db: db, left: -1})
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Send sends a message, unless the process is killed.
func (o *office) Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	dies := o.left == 0
	o.left--
	if dies && !o.late {
		return "", errDead
	}
	id, err := o.Bot.Send(ctx, ch, m)
	if dies {
		return "", errDead
	}
	return id, err
}

// FindOwn looks for messages.
func (o *office) FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error) {
	return o.Bot.FindOwn(ctx, ch, after, m)
}

// Now is the time on Discord.
func (o *office) Now() time.Time { return o.Bot.Now() }

// of is what a process posts with.
func (o *office) of(turn string) *outbox.Posts {
	return o.box().Of(turn, nil)
}

func (o *office) box() *outbox.Outbox {
	return outbox.New(o.db, o, slog.New(slog.NewTextHandler(o.t.Output(), nil)))
}

func (o *office) post(turn, part, text string) (chat.MessageID, error) {
	return o.of(turn).Post(o.t.Context(), part, o.ChannelID("#general"), chat.Outgoing{Text: text})
}

func (o *office) mustPost(turn, part, text string) chat.MessageID {
	o.t.Helper()
	id, err := o.post(turn, part, text)
	if err != nil {
		o.t.Fatal(err)
	}
	return id
}

func TestALongAnswerArrivesOnceWhereverTheProcessIsKilled(t *testing.T) {
	t.Parallel()
	const chunks = 5 // a longer one has a file
	var text string
	var want []string
	for i := range chunks {
		chunk := strings.Repeat(fmt.Sprint(i), 1990)
		text += chunk + "\n"
		want = append(want, "#general bot: "+chunk)
	}
	for _, pause := range []time.Duration{0, time.Hour} {
		t.Run(fmt.Sprintf("%v later", pause), func(t *testing.T) {
			t.Parallel()
			for kill := range chunks {
				inOffice(t, func(t *testing.T, o *office) {
					o.left, o.late = kill, true
					for range 2 {
						o.answer(text)
						o.left = -1
						time.Sleep(pause)
					}
					o.RequireTranscript(t, strings.Join(want, "\n"))
				})
			}
		})
	}
}

// answer posts an answer as far as the process lives.
func (o *office) answer(text string) {
	venue := reply.New(o.box(), o.Bot, nil).Venue(reply.Options{Place: chat.Place{Guild: o.GuildID(), Channel: o.ChannelID("#general")}, Turn: "turn", Stop: "stop:1"})
	r, err := venue.Open(o.t.Context(), turn.First, "Thinking")
	if err == nil {
		_, err = r.Finish(o.t.Context(), turn.Body{Text: text})
	}
	if err != nil && !errors.Is(err, errDead) {
		o.t.Error(err)
	}
}

func TestTheSameTextOfAnotherPostIsNotTakenForThisOne(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.left = 1
		first := o.mustPost("one", "0", "Thinking")
		if _, err := o.post("two", "0", "Thinking"); !errors.Is(err, errDead) {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		second := o.mustPost("two", "0", "Thinking")
		if first == second || o.mustPost("one", "0", "Thinking") != first || o.mustPost("two", "0", "Thinking") != second {
			t.Errorf("%s and %s", first, second)
		}
		o.RequireTranscript(t, "#general bot: Thinking\n#general bot: Thinking")
	})
}

func TestAPostIsFoundBehindManyMessages(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.left, o.late = 0, true
		if _, err := o.post("turn", "0", " hello "); !errors.Is(err, errDead) {
			t.Fatal(err)
		}
		for i := range 250 {
			o.MustSay("ada", "#general", fmt.Sprintf("message %d", i))
		}
		time.Sleep(time.Hour)
		o.mustPost("turn", "0", " hello ")
		if n := strings.Count(o.Transcript(), "bot: hello"); n != 1 {
			t.Errorf("it is there %d times", n)
		}
	})
}

// TestAPostIsFoundInItsFirstWords: whoever goes on with a turn may have something to add.
func TestAPostIsFoundInItsFirstWords(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{time.Second, time.Hour} {
		t.Run(fmt.Sprintf("%v later", pause), func(t *testing.T) {
			t.Parallel()
			inOffice(t, func(t *testing.T, o *office) {
				o.left, o.late = 0, true
				if _, err := o.post("turn", "0", "hello"); !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				o.left = -1
				time.Sleep(pause)
				if id := o.mustPost("turn", "0", "Late: hello"); o.mustPost("turn", "0", "Very late: hello") != id {
					t.Error("it is another one each time")
				}
				o.RequireTranscript(t, "#general bot: hello")
				var kept string
				if err := o.db.QueryRowContext(t.Context(), "SELECT text FROM posts").Scan(&kept); err != nil || kept != "" {
					t.Errorf("what it says is still written down: %q, %v", kept, err)
				}
			})
		})
	}
}

// TestAPostIsFoundInItsFirstWordsAfterOthersWereTried: nobody knows of either try whether it
// arrived, and both had the same nonce.
func TestAPostIsFoundInItsFirstWordsAfterOthersWereTried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		first, second bool // whether it arrives
		want          string
	}{
		{"the first arrived", true, false, "#general bot: hello"},
		{"both arrived, and are one", true, true, "#general bot: hello"},
		{"the second arrived", false, true, "#general bot: hello"},
		{"none arrived", false, false, "#general bot: Very late: hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inOffice(t, func(t *testing.T, o *office) {
				o.left, o.late = 0, tt.first
				if _, err := o.post("turn", "0", "hello"); !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				o.left, o.late = 0, tt.second
				if _, err := o.post("turn", "0", "Late: hello"); !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				o.left = -1
				time.Sleep(time.Hour)
				o.mustPost("turn", "0", "Very late: hello")
				o.RequireTranscript(t, tt.want)
			})
		})
	}
}

// TestWhatATurnWantedToSayIsForgottenWithIt: what Discord has not taken may be a secret.
func TestWhatATurnWantedToSayIsForgottenWithIt(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		for _, turn := range []string{"over", "goes on"} {
			o.left = 0
			if _, err := o.post(turn, "0", "hello of "+turn); !errors.Is(err, errDead) {
				t.Fatal(err)
			}
		}
		if err := o.db.Tx(t.Context(), func(tx *store.Tx) error { return o.box().Close(t.Context(), tx, "over") }); err != nil {
			t.Fatal(err)
		}
		var kept string
		if err := o.db.QueryRowContext(t.Context(), "SELECT GROUP_CONCAT(text, '') FROM posts").Scan(&kept); err != nil || kept != "hello of goes on" {
			t.Errorf("%q is still written down, %v", kept, err)
		}
	})
}

// TestAWrongClockDoublesNothing: not if this machine's clock differs from Discord's, and
// not if it is set between two processes.
func TestAWrongClockDoublesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		from, to time.Duration // how far the clock is ahead of Discord's
	}{
		{"an hour ahead", time.Hour, time.Hour},
		{"an hour behind", -time.Hour, -time.Hour},
		{"jumps an hour ahead", 0, time.Hour},
		{"jumps an hour back", 0, -time.Hour},
		{"was an hour ahead", time.Hour, 0},
		{"was an hour behind", -time.Hour, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inOffice(t, func(t *testing.T, o *office) {
				set := func(from, to time.Duration) {
					time.Sleep(max(0, to-from))
					o.Skew(-to)
					_, err := o.Bot.Message(t.Context(), o.ChannelID("#general"), o.MustSay("ada", "#general", "what time is it?").ID)
					if err != nil {
						t.Fatal(err)
					}
				}
				set(0, tt.from)
				o.left, o.late = 0, true
				if _, err := o.post("turn", "0", "hello"); !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Minute) // Discord does not know it by its nonce any more
				set(tt.from, tt.to)
				o.mustPost("turn", "0", "hello")
				if n := strings.Count(o.Transcript(), "bot: hello"); n != 1 {
					t.Errorf("it is there %d times", n)
				}
			})
		})
	}
}

func TestARefusedPostCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.BadStatus, Status: 400, Times: 1})
		if _, err := o.post("turn", "0", "hello"); err == nil {
			t.Fatal("it was not refused")
		}
		before := len(o.Requests())
		time.Sleep(time.Hour)
		o.mustPost("turn", "0", "hello")
		if n := len(o.Requests()) - before; n != 1 {
			t.Errorf("%d requests, want no search for what was refused", n)
		}
	})
}

func TestAPostIsNotSentWhileNobodyCanLookForIt(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.left, o.late = 0, true
		if _, err := o.post("turn", "0", "hello"); !errors.Is(err, errDead) {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		o.Fail(fakediscord.Fault{Match: "GET /channels/{channel}/messages"})
		if _, err := o.post("turn", "0", "hello"); err == nil {
			t.Error("it was sent all the same")
		}
		o.Recover()
		o.mustPost("turn", "0", "hello")
		o.RequireTranscript(t, "#general bot: hello")
	})
}

func TestPostsOfATurnAreKnownForADay(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		id := o.mustPost("turn", "0", "hello")
		if got, ok, err := o.of("turn").Posted(t.Context(), "0"); got != id || !ok || err != nil {
			t.Errorf("%v, %v, %v", got, ok, err)
		}
		time.Sleep(outbox.Keep + time.Second)
		if err := o.box().Prune(t.Context(), time.Now().Add(-outbox.Keep)); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := o.of("turn").Posted(t.Context(), "0"); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
	})
}
