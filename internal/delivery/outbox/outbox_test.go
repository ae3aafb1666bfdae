package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
	"discoclaw/internal/turn"
)

// An office is an outbox on the fake Discord, whose process can be killed and restarted.
type office struct {
	*server.Server
	t    *testing.T
	db   *store.DB
	left int  // messages until the process is killed; below 0 means never
	late bool // it is killed after Discord has taken the message, and not before
}

var errDead = errors.New("the process is dead")

func inOffice(t *testing.T, test func(t *testing.T, o *office)) {
	t.Helper()
	server.In(t, "guild disco: #general\nmember ada: owner", func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		o := &office{Server: w, t: t, db: db, left: -1}
		test(t, o)
		if err := o.db.Close(); err != nil {
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

// Delete deletes a message.
func (o *office) Delete(ctx context.Context, ch chat.ChannelID, m chat.MessageID) error {
	return o.Bot.Delete(ctx, ch, m)
}

// Now is the time on Discord.
func (o *office) Now() time.Time { return o.Bot.Now() }

// of returns the posts of a turn in a fresh process.
func (o *office) of(turn chat.TurnID) *outbox.Posts {
	return o.box().Of(turn, nil)
}

func (o *office) box() *outbox.Outbox {
	return outbox.New(o.db, o, slog.New(slog.NewTextHandler(o.t.Output(), nil)))
}

func (o *office) post(turn chat.TurnID, part, text string) (chat.MessageID, error) {
	return o.of(turn).Post(o.t.Context(), part, o.ChannelID("#general"), chat.Outgoing{Text: text})
}

func (o *office) mustPost(turn chat.TurnID, part, text string) chat.MessageID {
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

// answer posts an answer until the process is killed.
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

// TestAPostIsFoundByTheTextOfItsFirstAttempt: a resumed turn may have another text.
func TestAPostIsFoundByTheTextOfItsFirstAttempt(t *testing.T) {
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
					t.Error("each attempt has another ID")
				}
				o.RequireTranscript(t, "#general bot: hello")
				var kept string
				if err := o.db.QueryRowContext(t.Context(), "SELECT text FROM posts").Scan(&kept); err != nil || kept != "" {
					t.Errorf("its text is still in the database: %q, %v", kept, err)
				}
			})
		})
	}
}

// TestAPostOfTwoUncertainAttemptsIsFound: it is unknown whether either arrived, and both had the
// same nonce.
func TestAPostOfTwoUncertainAttemptsIsFound(t *testing.T) {
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

// TestTextsAreDroppedWithTheirTurn: a text that was never posted may be a secret.
func TestTextsAreDroppedWithTheirTurn(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		for _, turn := range []chat.TurnID{"over", "goes on"} {
			o.left = 0
			if _, err := o.post(turn, "0", "hello of "+string(turn)); !errors.Is(err, errDead) {
				t.Fatal(err)
			}
		}
		if err := o.db.Tx(t.Context(), func(tx *store.Tx) error { return o.box().Close(t.Context(), tx, "over") }); err != nil {
			t.Fatal(err)
		}
		var kept string
		if err := o.db.QueryRowContext(t.Context(), "SELECT GROUP_CONCAT(text, '') FROM posts").Scan(&kept); err != nil || kept != "hello of goes on" {
			t.Errorf("%q is still in the database, %v", kept, err)
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
				time.Sleep(10 * time.Minute) // Discord does not dedupe by its nonce any more
				set(tt.from, tt.to)
				o.mustPost("turn", "0", "hello")
				if n := strings.Count(o.Transcript(), "bot: hello"); n != 1 {
					t.Errorf("it is there %d times", n)
				}
			})
		})
	}
}

func TestARefusedPostCanBeRetried(t *testing.T) {
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
			t.Errorf("%d requests, want no search for the refused post", n)
		}
	})
}

func TestAPostIsNotSentWhileItCannotBeSearchedFor(t *testing.T) {
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

// exec changes the database.
func (o *office) exec(query string) {
	o.t.Helper()
	if _, err := o.db.ExecContext(o.t.Context(), query); err != nil {
		o.t.Fatal(err)
	}
}

// TestAPostIsNotSentIfItsRowCannotBeWritten: after a crash it would be posted once more. The
// error does not name the database file.
func TestAPostIsNotSentIfItsRowCannotBeWritten(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		dir := t.TempDir()
		disk := fulldisk.New(t, dir)
		o.Must(o.db.Close())
		var err error
		o.db, err = store.Open(t.Context(), filepath.Join(dir, store.FileName))
		o.Must(err)
		disk.Become(fulldisk.Spent, 0)
		_, err = o.post("turn", "0", "hello")
		if !errors.Is(err, store.ErrFull) || strings.Contains(err.Error(), dir) {
			t.Errorf("on a full disk: %v", err)
		}
		o.RequireTranscript(t, "")
		disk.Become(fulldisk.Roomy, 0)
		o.mustPost("turn", "0", "hello")
		o.RequireTranscript(t, "#general bot: hello")
	})
}

// TestAMessageIsRetractedIfItsIDCannotBeWritten: the next attempt starts clean, maybe with another
// text. If it cannot be deleted, the next attempt finds it.
func TestAMessageIsRetractedIfItsIDCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		stays bool
		pause time.Duration
		then  string
	}{
		{"soon", false, time.Second, "#general bot: hello again"},
		{"later", false, time.Hour, "#general bot: hello again"},
		{"soon, and it stays", true, time.Second, "#general bot: hello"},
		{"later, and it stays", true, time.Hour, "#general bot: hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inOffice(t, func(t *testing.T, o *office) {
				box := o.box()
				post := func(text string) error {
					_, err := box.Of("turn", nil).Post(t.Context(), "0", o.ChannelID("#general"), chat.Outgoing{Text: text})
					return err
				}
				o.exec("CREATE TRIGGER full BEFORE UPDATE ON posts BEGIN SELECT RAISE(ABORT, 'no room'); END")
				if tt.stays {
					o.Fail(fakediscord.Fault{Match: "DELETE /channels/{channel}/messages/{message}"})
				}
				if err := post("hello"); err == nil {
					t.Error("it was posted")
				}
				if n := len(o.Messages("#general")); (n == 1) != tt.stays {
					t.Errorf("there are %d messages", n)
				}
				o.Recover()
				o.exec("DROP TRIGGER full")
				time.Sleep(tt.pause)
				o.Must(post("hello again"))
				o.Must(post("hello again"))
				o.RequireTranscript(t, tt.then)
				var nonces []string
				for _, x := range o.Requests() {
					if x.Route == "POST /channels/{channel}/messages" {
						nonces = append(nonces, regexp.MustCompile(`"nonce":"(\w+)"`).FindString(string(x.Request)))
					}
				}
				if !tt.stays && (len(nonces) != 2 || nonces[0] == nonces[1]) {
					t.Errorf("Discord would dedupe the second against the first, which is deleted: %q", nonces)
				}
			})
		})
	}
}

// TestATurnBeginsWithItsFirstRow: both are written in one transaction, and nothing is posted for
// a turn that does not begin.
func TestATurnBeginsWithItsFirstRow(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		var begun int
		refusal := errors.New("not now")
		posts := o.box().Of("turn", func(ctx context.Context, tx *store.Tx) error {
			begun++
			_, err := tx.ExecContext(ctx, "INSERT INTO copied (id, made) VALUES (1, 1) ON CONFLICT DO NOTHING")
			return errors.Join(err, refusal)
		})
		post := func(part string) error {
			_, err := posts.Post(t.Context(), part, o.ChannelID("#general"), chat.Outgoing{Text: "hello " + part})
			return err
		}
		requireRows := func(want string) {
			t.Helper()
			var got string
			err := o.db.QueryRowContext(t.Context(), "SELECT (SELECT COUNT(*) FROM copied) || ' begun, ' || COUNT(*) || ' posts' FROM posts").Scan(&got)
			if err != nil || got != want {
				t.Errorf("%s, want %s, %v", got, want, err)
			}
		}
		if err := post("0"); !errors.Is(err, refusal) {
			t.Error(err)
		}
		requireRows("0 begun, 0 posts")
		o.RequireTranscript(t, "")
		refusal = nil
		before := o.db.Commits()
		o.Must(errors.Join(post("0"), post("1")))
		if n := o.db.Commits() - before; n != 4 || begun != 2 {
			t.Errorf("%d commits, and the turn was begun %d times", n, begun)
		}
		requireRows("1 begun, 2 posts")
		begun = 0
		posts = o.box().Of("turn", func(context.Context, *store.Tx) error { begun++; return nil })
		o.Must(post("0")) // which is there already
		if begun != 1 {
			t.Errorf("a turn that is resumed was begun %d times", begun)
		}
		o.RequireTranscript(t, "#general bot: hello 0\n#general bot: hello 1")
	})
}

func TestPostsAreDroppedAfterTheirRetention(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		id := o.mustPost("turn", "0", "hello")
		if got, ok, err := o.of("turn").Posted(t.Context(), "0"); got != id || !ok || err != nil {
			t.Errorf("%v, %v, %v", got, ok, err)
		}
		time.Sleep(outbox.Retention + time.Second)
		if err := o.db.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := o.of("turn").Posted(t.Context(), "0"); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
	})
}

// TestAFailedReadIsTemporary: a turn whose post cannot be looked up is requeued. As a permanent failure it
// would be settled, and never answered.
func TestAFailedReadIsTemporary(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.mustPost("turn", "0", "hello")
		if _, err := o.db.ExecContext(t.Context(), "UPDATE posts SET began = 'unreadable'"); err != nil {
			t.Fatal(err)
		}
		_, err := o.post("turn", "0", "hello")
		var refusal interface{ Permanent() bool }
		if !errors.As(err, &refusal) || refusal.Permanent() {
			t.Errorf("the error %v is not temporary", err)
		}
	})
}
