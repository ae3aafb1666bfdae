package confirm_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/flow"
	"discoclaw/internal/store"
)

// TestACardThatMayHaveBeenPostedCanBeAnswered: Discord's response to the card is lost, and
// the turn is stopped meanwhile.
func TestACardThatMayHaveBeenPostedCanBeAnswered(t *testing.T) {
	t.Parallel()
	inOffice(t, func(t *testing.T, o *office) {
		o.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Hang, Accepted: true})
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		if err := o.service.Hold(ctx, o.origin("t1"), []actions.Pending{{Request: actions.Request{Type: "wreck", Args: []byte(`{}`)}, What: "Wreck the car."}}); err != nil {
			t.Errorf("the card was posted, but Ask returned %v", err)
		}
		o.Recover()
		time.Sleep(2 * time.Minute) // by then the card is recorded
		if n := strings.Count(o.Transcript(), "button Approve"); n != 1 {
			t.Errorf("%d cards:\n%s", n, o.Transcript())
		}
		if got := o.confirm("ada", "a-token"); got != "" || o.done.Load() != 1 {
			t.Errorf("%q; done %d times", got, o.done.Load())
		}
		o.requireEnd("✅ Approved by", "Done: Wrecked the car")
	})
}

// slow delays requests, as a rate limit does.
type slow struct {
	confirm.Server
	edit, send time.Duration
}

func (l slow) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l slow) Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	if err := l.pause(ctx, l.send); err != nil {
		return "", err
	}
	return l.Server.Send(ctx, ch, m)
}

func (l slow) Edit(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error {
	if err := l.pause(ctx, l.edit); err != nil {
		return err
	}
	return l.Server.Edit(ctx, ch, id, m)
}

// TestAQuestionAskedDuringResumeHasOneCard: the service is still busy with the questions of
// an earlier process.
func TestAQuestionAskedDuringResumeHasOneCard(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		finish := o.crash()

		db, err := store.Open(t.Context(), o.path)
		if err != nil {
			t.Fatal(err)
		}
		service := confirm.New(confirm.Options{DB: db, Server: slow{o.client, 1 * time.Second, 2 * time.Second}, Log: slog.New(slog.DiscardHandler), Token: func() string { return "z-token" }})
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { service.Run(ctx, confirm.Live{Executor: o, Observer: o}) })
		synctest.Wait()
		if err := service.Hold(t.Context(), o.origin("t2"), []actions.Pending{{Request: actions.Request{Type: "wreck", Args: []byte(`{}`)}, What: "Wreck the boat."}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := strings.Count(o.Transcript(), "wreck the boat?"); n != 1 {
			t.Errorf("%d cards:\n%s", n, o.Transcript())
		}
		cancel()
		wg.Wait()
		_ = service.Close(context.Background())
		_ = db.Close()
		finish()
	})
}

// takesAnswers lets a service take answers, without its loop.
func takesAnswers(s *confirm.Service, live confirm.Live) {
	ended, end := context.WithCancel(context.Background())
	end()
	s.Run(ended, live)
}

// TestCloseKeepsItsTimeout: three seconds, even if Discord hangs.
func TestCloseKeepsItsTimeout(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		service := confirm.New(confirm.Options{DB: o.reopen(), Server: slow{o.client, 20 * time.Second, 20 * time.Second}, Log: slog.New(slog.DiscardHandler)})
		takesAnswers(service, confirm.Live{Executor: o, Observer: o})
		service.Pressed(t.Context(), chat.Press{Button: "approve:a-token", User: chat.User{ID: o.UserID("ada")}, Place: o.place()})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		err := service.Close(ctx)
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("Close took %v: %v", took, err)
		}
	})
}

// TestAPanicInAnApprovedActionIsLogged: the card refers to the log.
func TestAPanicInAnApprovedActionIsLogged(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		db := o.reopen()
		reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
			actionstest.Define("wreck", func(s *actionstest.Spec) {
				s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) { panic("the brakes failed") }
			}),
		}})
		var logged strings.Builder
		log := slog.New(slog.NewTextHandler(&logged, nil))
		service := confirm.New(confirm.Options{DB: db, Server: o.client, Log: log})
		takesAnswers(service, confirm.Live{Observer: o, Executor: flow.Approved{
			Registry: reg, Flags: actionstest.Open(reg), Dispatcher: actions.NewDispatcher(actions.DispatcherOptions{}, actionstest.Permit),
			Access: access.Policy{Users: []chat.UserID{o.UserID("ada")}}, Log: log,
		}})
		service.Confirm(t.Context(), "a-token", chat.User{ID: o.UserID("ada")}, o.place())
		if !strings.Contains(logged.String(), "brakes") {
			t.Errorf("the card says:\n%s\nthe log has:\n%s", o.Transcript(), logged.String())
		}
	})
}

// TestAnInterruptionIsReportedWhenDiscordIsBack: the machine was rebooted during an action,
// and its network comes up after the bot.
func TestAnInterruptionIsReportedWhenDiscordIsBack(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		finish := o.crash()
		o.Fail(fakediscord.Fault{Kind: fakediscord.Reset})
		o.open()
		time.Sleep(time.Minute)
		o.Recover()
		time.Sleep(time.Hour)
		o.close()
		o.open() // another process
		time.Sleep(time.Hour)
		if got := o.Transcript(); strings.Contains(got, "button Approve") || !strings.Contains(got, "restarted") {
			t.Errorf("the card still asks:\n%s\npressed: %s", got, o.confirm("ada", "a-token"))
		}
		finish()
	})
}

// TestAnExpiryIsReportedWhenDiscordIsBack: it is unavailable when the question expires.
func TestAnExpiryIsReportedWhenDiscordIsBack(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		time.Sleep(9 * time.Minute)
		o.Fail(fakediscord.Fault{Kind: fakediscord.Reset})
		time.Sleep(5 * time.Minute)
		o.Recover()
		time.Sleep(time.Hour)
		o.close()
		o.open()
		time.Sleep(time.Hour)
		o.requireEnd("⌛ Nobody answered within ten minutes,")
	})
}

// TestSettledQuestionsAreDeletedAfterTheirRetention, but not open ones.
func TestSettledQuestionsAreDeletedAfterTheirRetention(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.ask("Wreck the car.")
		o.confirm("ada", "a-token")
		o.ask("Wreck the boat.")
		db := o.reopen() // without a service, so that the second stays open
		confirm.New(confirm.Options{DB: db, Server: o.client, Log: slog.New(slog.DiscardHandler)})
		time.Sleep(31 * 24 * time.Hour)
		if err := db.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		var left string
		if err := db.QueryRowContext(t.Context(), "SELECT group_concat(token) FROM questions").Scan(&left); err != nil || left != "b-token" {
			t.Errorf("%s is left, %v; want the one that is open", left, err)
		}
	})
}
