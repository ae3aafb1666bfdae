package flow

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/cron"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/llm"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// oneRoom is a Server with one channel, in which everybody may do everything.
type oneRoom struct{ wallClock }

func (oneRoom) Venue(reply.Options) turn.Venue { return nil }

func (oneRoom) ChannelByID(_ context.Context, id chat.ChannelID) (chat.Channel, error) {
	return chat.Channel{ID: id, Guild: "1", Name: "room", Kind: chat.TextChannel}, nil
}

func (oneRoom) Surroundings(chat.Place, chat.UserID) chat.Surroundings { return chat.Surroundings{} }

func (oneRoom) MissingPermissions(context.Context, chat.GuildID, chat.UserID, chat.ChannelID, []chat.Permission) ([]chat.Permission, error) {
	return nil, nil
}

// inRoom returns flows that serve ada, with all planned actions, and a job of hers.
func inRoom(t *testing.T) (*Flows, cron.Job) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	reg, jobs := actionstest.Registry(t, actionstest.Catalogue(nil)...), cron.New(db, cron.Options{})
	job, err := jobs.Create(t.Context(), cron.Job{Guild: "1", Author: "ada", Definition: cron.Definition{Name: "job", Trigger: cron.ByHand, Channel: "2", ChannelName: "room", Prompt: "Plan it"}})
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{
		Server: oneRoom{}, Registry: reg, Flags: actionstest.Open(reg), PeopleFlags: actionstest.Open(reg), Access: access.Policy{Users: []chat.UserID{"ada"}}, Jobs: jobs,
		Model: func() llm.Choice { return llm.Choice{} }, CronModel: func(string) (llm.Choice, error) { return llm.Choice{}, nil },
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}, pipeline.Options{}), job
}

// turnOf returns the turn of an event, as its source makes it.
func turnOf[E any](t *testing.T, make func(context.Context, pipeline.Run[E]) (chat.Message, turn.Turn, error), body E) turn.Turn {
	t.Helper()
	_, made, err := make(t.Context(), pipeline.Run[E]{Turn: "t", Events: []pipeline.Event[E]{{Body: body}}})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestOnlyARunAtTheTopStartsRunsOfItsOwn: planRun is one of the actions that start a run. Every turn may, whichever way it has come in, except inside
// the work on a plan.
func TestOnlyARunAtTheTopStartsRunsOfItsOwn(t *testing.T) {
	t.Parallel()
	f, job := inRoom(t)
	here := chat.Place{Guild: "1", Channel: "2", Message: "3"}
	fired := func(why cron.Why) func() turn.Turn {
		return func() turn.Turn {
			return turnOf(t, f.crons.turn, cron.Fire{Job: job.ID, Guild: "1", Channel: "2", Author: "ada", Why: why, From: &cron.Upstream{Job: "cron-0"}})
		}
	}
	answers := func(q choices.Question) func() turn.Turn {
		return func() turn.Turn {
			return turnOf(t, f.reactions.turn, &reaction{Reacted: chat.Reacted{Place: here, User: chat.User{ID: "ada"}, Emoji: "✅"}, question: &q})
		}
	}
	for _, tt := range []struct {
		name string
		turn func() turn.Turn
		want actions.Decision
	}{
		{"a message", func() turn.Turn {
			ask := func(_ context.Context, r pipeline.Run[chat.Message]) (chat.Message, turn.Turn, error) {
				return f.messages.turn(access.ByMessage, r)
			}
			return turnOf(t, ask, chat.Message{ID: "3", Place: here, Author: chat.User{ID: "ada"}})
		}, actions.Allowed},
		{"a reaction", func() turn.Turn {
			return turnOf(t, f.reactions.turn, &reaction{Reacted: chat.Reacted{Place: here, User: chat.User{ID: "ada"}, Emoji: "✅"}, message: &chat.Message{ID: "3", Place: here}})
		}, actions.Allowed},
		{"an answer to a turn at the top", answers(choices.Question{Requester: "ada"}), actions.Allowed},
		{"an answer to a turn in another run", answers(choices.Question{Requester: "ada", Depth: 1}), actions.Refused},
		{"a deferred run", func() turn.Turn {
			return turnOf(t, f.deferred.turn, deferral.Job{ID: 1, Guild: "1", Channel: "2", Requester: "ada", Due: f.now()})
		}, actions.Allowed},
		{"a job at its time", fired(cron.Slot), actions.Allowed},
		{"a job whose webhook was called", fired(cron.Webhook), actions.Allowed},
		{"a job that an action has run", fired(cron.Manual), actions.Allowed},
		{"a job after another", fired(cron.Chained), actions.Allowed},
	} {
		got := tt.turn()
		if v := got.Gate.Verdict("planRun"); v.Decision != tt.want || (got.Origin.Depth > 0) != (tt.want == actions.Refused) {
			t.Errorf("%s: at depth %d it is %s (%s), want %s", tt.name, got.Origin.Depth, v.Decision, v.Reason(), tt.want)
		}
		if v := got.Gate.Verdict("planShow"); v.Decision != actions.Allowed {
			t.Errorf("%s: planShow is %s (%s)", tt.name, v.Decision, v.Reason())
		}
	}
}
