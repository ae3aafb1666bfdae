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
			{"!plan cancel 1", "🛑 Cancelled plan-001."},
			{"!forge 1 be brief", "Went on with plan-001"},
			{"!plan cancel 1", "Plan-001 is being forged"},
			{"!forge status", "Plan-001 is being forged in"},
			{"!forge Another one", "Plan-001 is being forged; wait for it"},
			{"!forge status quo", "Plan-001 is being forged; wait for it"},
			{"!forge CANCEL", "Stopped the forging of plan-001."},
			{"!forge cancel", "No plan is being forged here."},
			{"!forge plan-99", "There is no such plan"},
			{"!forge 99 new doors", "There is no such plan"},
			{"!forge audit", "Say which plan"},
			{"!forge audit 1", "Auditing plan-001."},
			{"!forge cancel", "Stopped the forging of plan-001."},
			{"!forge ws-001", "Went on with plan-001"},
			{"!forge cancel", "Stopped the forging of plan-001."},
			{"!forge cancel the newsletter", "Started to forge plan-002, “cancel the newsletter”"},
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
