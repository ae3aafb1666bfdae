package confirm_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
)

const layout = `
guild disco: #general
member ada: owner
member bob
`

// An office is a service on a small Discord, with a database that outlives it.
type office struct {
	*discordtest.World
	t       *testing.T
	path    string
	client  *discord.Client
	service *confirm.Service
	close   func()

	done atomic.Int32 // executed actions
	read sync.Map     // outside texts that were read before messages, by their IDs
	wait func()       // called before each action; may be nil
}

func inOffice(t *testing.T, test func(t *testing.T, o *office)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := &office{World: discordtest.New(t, layout), t: t, path: filepath.Join(t.TempDir(), store.FileName)}
		o.client = discord.New(discord.Options{Token: o.Token(), APIURL: o.APIURL(), HTTP: o.HTTP()})
		o.open()
		test(t, o)
		o.close()
	})
}

// open starts a service on the database.
func (o *office) open() {
	o.t.Helper()
	db, err := store.Open(o.t.Context(), o.path)
	if err != nil {
		o.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(o.t.Output(), nil))
	token := 0
	o.service = confirm.New(confirm.Options{DB: db, Server: o.client, Log: log, Mark: func(of chat.Sources, m chat.MessageID) { o.read.Store(m, of) }, Token: func() string { token++; return string(rune('a'+token-1)) + "-token" }})
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { o.service.Run(ctx, confirm.Live{Executor: o, Observer: o}) })
	o.close = func() {
		cancel()
		watching.Wait()
		if err := errors.Join(o.service.Close(context.Background()), db.Close()); err != nil {
			o.t.Error(err)
		}
	}
	synctest.Wait()
}

// requireMarked requires that the last message is known to have been written after outside texts.
func (o *office) requireMarked(of chat.Sources) {
	o.t.Helper()
	all := o.Messages("#general")
	last := all[len(all)-1]
	if got, _ := o.read.Load(last.ID); got != of {
		o.t.Errorf("%q was written after %v", last.Content, got)
	}
}

// crash stops the process in the middle of an action that ada approved. Its goroutine hangs
// until the returned function is called.
func (o *office) crash() (finish func()) {
	crashed := make(chan struct{})
	o.wait = func() { <-crashed }
	go o.confirm("ada", "a-token")
	synctest.Wait()
	first := o.close
	o.wait = nil
	return func() {
		close(crashed)
		synctest.Wait()
		first()
	}
}

// May refuses bob everything.
func (o *office) May(_ context.Context, from actions.Origin, _ []actions.Request) error {
	if from.Requester == o.UserID("bob") {
		return errors.New("permission denied: you lack “Wrecking”")
	}
	return nil
}

func (o *office) Begin(context.Context, confirm.Question) error            { return nil }
func (o *office) End(context.Context, confirm.Question, []actions.Outcome) {}
func (o *office) Interrupted(context.Context, confirm.Question)            {}
func (o *office) Dismissed(context.Context, confirm.Question, string)      {}

// Do counts the actions.
func (o *office) Do(_ context.Context, _ actions.Origin, reqs []actions.Request) []actions.Outcome {
	if o.wait != nil {
		o.wait()
	}
	var outs []actions.Outcome
	for _, r := range reqs {
		o.done.Add(1)
		outs = append(outs, actions.Outcome{Request: r, Result: actions.Result{Summary: "Wrecked the car"}})
	}
	return outs
}

func (o *office) place() chat.Place {
	return chat.Place{Guild: o.GuildID(), Channel: o.ChannelID("#general")}
}

// origin is a turn of ada's.
func (o *office) origin(turn chat.TurnID) actions.Origin {
	return actions.Origin{Flow: actions.FlowMessage, Place: o.place(), Requester: o.UserID("ada"), Turn: turn}
}

// reopen opens the database for another service, after the first one is closed.
func (o *office) reopen() *store.DB {
	o.t.Helper()
	o.close()
	db, err := store.Open(o.t.Context(), o.path)
	if err != nil {
		o.t.Fatal(err)
	}
	o.close = func() {
		if err := db.Close(); err != nil {
			o.t.Error(err)
		}
	}
	return db
}

func (o *office) ask(items ...string) {
	o.t.Helper()
	var held []actions.Pending
	for _, what := range items {
		held = append(held, actions.Pending{Request: actions.Request{Type: "wreck", Args: []byte(`{"type":"wreck"}`)}, What: what})
	}
	if err := o.service.Hold(o.t.Context(), o.origin("t1"), held); err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) confirm(who, token string) string {
	return o.service.Confirm(o.t.Context(), token, chat.User{ID: o.UserID(who)}, o.place())
}

func (o *office) requireEnd(parts ...string) {
	o.t.Helper()
	synctest.Wait()
	got := o.Transcript()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			o.t.Errorf("%q is not in\n%s", part, got)
		}
	}
}

func TestOfManyAnswersTheFirstWins(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		var quiet atomic.Int32
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if o.confirm("ada", "a-token") == "" {
					quiet.Add(1)
				}
			})
		}
		wg.Wait()
		if o.done.Load() != 1 || quiet.Load() != 1 {
			t.Errorf("done %d times, %d were accepted", o.done.Load(), quiet.Load())
		}
		o.requireEnd(": wreck the car?", "✅ Approved by", "Done: Wrecked the car")
	})
}

// TestAnInterruptedActionIsNotRepeated: the process ends in the middle of an action.
func TestAnInterruptedActionIsNotRepeated(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		finish := o.crash()
		o.open() // another process, while the first one hangs
		o.requireEnd(": wreck the car?", "⚠️ I was restarted in the middle of this.")
		if got := o.confirm("ada", "a-token"); !strings.Contains(got, "answered already") || o.done.Load() != 0 {
			t.Errorf("%s; done %d times", got, o.done.Load())
		}
		finish()
	})
}

// TestAResumedTurnDoesNotAskAgain: it was killed after it had asked.
func TestAResumedTurnDoesNotAskAgain(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car")
		o.ask("Wreck the car") // while the first is open
		o.confirm("ada", "a-token")
		synctest.Wait()
		o.ask("Wreck the car") // when it is done
		if n := strings.Count(o.Transcript(), "wreck the car?"); n != 1 || o.done.Load() != 1 {
			t.Errorf("it was done %d times:\n%s", o.done.Load(), o.Transcript())
		}
	})
}

func TestAMissingCardIsPostedAfterARestart(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		o.close()
		db, err := store.Open(t.Context(), o.path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), "UPDATE questions SET card = ''"); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		o.open()
		// The card was posted, but the process ended before it was recorded.
		if cards := strings.Count(o.Transcript(), "button Approve"); cards != 1 {
			t.Errorf("%d cards:\n%s", cards, o.Transcript())
		}
		if got := o.confirm("ada", "a-token"); got != "" || o.done.Load() != 1 {
			t.Errorf("%q; done %d times", got, o.done.Load())
		}
	})
}

func TestACardThatCannotBePostedIsAnError(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		if err := o.Deny("#general", "@everyone", chat.SendMessages); err != nil {
			t.Fatal(err)
		}
		origin := actions.Origin{Place: chat.Place{Guild: o.GuildID(), Channel: o.ChannelID("#general")}, Requester: o.UserID("ada")}
		if err := o.service.Hold(t.Context(), origin, []actions.Pending{{What: "Wreck the car."}}); err == nil {
			t.Error("there is no error")
		}
		if got := o.confirm("ada", "a-token"); !strings.Contains(got, "could not post the card") || o.done.Load() != 0 {
			t.Errorf("%s; done %d times", got, o.done.Load())
		}
		if err := o.service.Hold(t.Context(), actions.Origin{}, []actions.Pending{{What: "Wreck the car."}}); err == nil {
			t.Error("a question without a channel was asked")
		}
	})
}

// TestALongCardIsOneMessageWithAFile: parts of it in other messages could be changed or overlooked.
func TestALongCardIsOneMessageWithAFile(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		before := len(o.Messages("#general"))
		var items []string
		for range 25 {
			items = append(items, "Wreck "+strings.Repeat("a very long car ", 12)+"now.")
		}
		requireFile := func(text string) {
			t.Helper()
			all := o.Messages("#general")
			card := all[len(all)-1]
			if len(all) != before+1 || len(card.Attachments) != 1 {
				t.Fatalf("%d messages, with %d files", len(all)-before, len(card.Attachments))
			}
			if n := strings.Count(string(card.Attachments[0].Data), text); n != 25 {
				t.Errorf("the file has %d of 25: %s", n, card.Attachments[0].Data)
			}
		}
		o.ask(items...)
		requireFile("car now.")
		if got := o.confirm("ada", "a-token"); got != "" || o.done.Load() != 25 {
			t.Errorf("%q; done %d", got, o.done.Load())
		}
		o.requireEnd("✅ Approved by", "Done: Wrecked the car")
		requireFile("car now.")
		if strings.Contains(o.Transcript(), "button") {
			t.Error("the buttons are still there")
		}
	})
}

func TestTheVerdictIsPostedIfTheCardWasDeleted(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		all := o.Messages("#general")
		if err := o.DeleteAs("ada", all[len(all)-1].ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		o.requireEnd(": wreck the car?", "⌛ Nobody answered within ten minutes,")
	})
}

// TestACardIsMarkedFromTheBeginning, and so is a verdict that is a message of its own: both have the words of the request.
func TestACardIsMarkedFromTheBeginning(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		from := o.origin("t1")
		from.Outside = "a message by zed"
		if err := o.service.Hold(t.Context(), from, []actions.Pending{{Request: actions.Request{Type: "wreck", Args: []byte("{}")}, What: "Wreck the car."}}); err != nil {
			t.Fatal(err)
		}
		o.requireMarked("a message by zed")
		all := o.Messages("#general")
		if err := o.DeleteAs("ada", all[len(all)-1].ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		o.requireEnd(": wreck the car?", "⌛ Nobody answered within ten minutes,")
		o.requireMarked("a message by zed")
	})
}
