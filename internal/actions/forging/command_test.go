package forging_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/forging"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/commands/acts"
)

func TestForgingIsManagedByCommands(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		plans := planact.New(w.Work, w.Bot, nil)
		face := forging.New(plans, w.Work)
		registry, err := actions.NewRegistry(plans, face)
		w.Must(err)
		d, _ := w.Dispatcher()
		operates := func(context.Context, chat.Message) bool { return true }
		table := commands.New(operates, &acts.Runner{Registry: registry, Flags: actionstest.Open(registry), Dispatcher: d}, append(plans.Commands(), face.Commands()...)...)
		w.Make(w.GuildID(), w.ChannelID("#general"), w.UserID("ada"), "")
		for _, tt := range []struct{ command, want string }{
			{"!forge", "**Forge**"},
			{"!forge help", "**Forge**"},
			{"!plan cancel 1", "🛑 Set the plan aside."},
			{"!forge 1 be brief", "Models are revising and auditing “Greet politely” now"},
			{"!plan cancel 1", "Models are writing a plan now"},
			{"!forge status", "“Greet politely” is being written and audited in"},
			{"!forge Another one", "Models are writing a plan now"},
			{"!forge status quo", "Models are writing a plan now"},
			{"!forge CANCEL", "Stopped the work on the plan; `!forge plan-001` goes on with it."},
			{"!forge cancel", "No plan is being written here."},
			{"!forge plan-99", "There is no such plan"},
			{"!forge 99 new doors", "There is no such plan"},
			{"!forge audit", "Say which plan"},
			{"!forge audit 1", "A model audits the plan now. What it finds appears here in a few minutes."},
			{"!forge cancel", "Stopped the work on the plan; `!forge plan-001` goes on with it."},
			{"!forge ws-001", "Models are revising and auditing “Greet politely” now"},
			{"!forge cancel", "Stopped the work on the plan; `!forge plan-001` goes on with it."},
			{"!forge cancel the newsletter", "Models are writing and auditing “cancel the newsletter” now"},
		} {
			c, args, _ := table.Find(tt.command)
			got, err := table.Answer(t.Context(), c, chat.Message{Place: w.Origin("ada").Place, Author: chat.User{ID: w.UserID("ada")}}, args)
			if !strings.HasPrefix(got, tt.want) || err != nil {
				t.Errorf("%s\n got %s, %v\nwant %s", tt.command, got, err, tt.want)
			}
			time.Sleep(time.Minute)
		}
	})
}
