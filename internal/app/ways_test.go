package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/flow"
	"discoclaw/internal/store"
	"discoclaw/internal/test/golden"
)

// waysWorld has whatever the examples of the actions refer to. Cyd has all permissions, bob none.
const waysWorld = `
guild disco: #general #ops #old-ideas #news:announcement ideas:forum Lounge:voice Projects:category
member ada: owner
member cyd: admins
member bob
stranger zed
stranger Other: bot
stranger Friend: bot
role admins: Administrator
role @everyone:
tag done in ideas: ✅
`

// A visitor is somebody who tries to use the bot.
type visitor struct {
	name string
	user chat.User
	// They must not get any action done.
	shutOut bool
	// They must not get an action done that needs a permission or an operator.
	powerless bool
}

func visitors(w *discordtest.World) []visitor {
	return []visitor{
		{name: "owner", user: chat.User{ID: w.UserID("ada")}},
		{name: "allowed member", user: chat.User{ID: w.UserID("cyd")}},
		{name: "member without the permission", user: chat.User{ID: w.UserID("bob")}, powerless: true},
		{name: "stranger", user: chat.User{ID: w.UserID("zed")}, shutOut: true},
		{name: "bot", user: chat.User{ID: w.UserID("Other"), Bot: true}, shutOut: true},
		{name: "trusted bot", user: chat.User{ID: w.UserID("Friend"), Bot: true}, shutOut: true},
		// Whoever knows a webhook's URL can write under any name.
		{name: "webhook author", user: chat.User{}, powerless: true},
	}
}

// TestAccessThroughEveryWayIn: every kind of visitor is tried in every way in, with every category.
// The golden table says how many types of each could run.
func TestAccessThroughEveryWayIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, waysWorld)
		env := apptest.Env(t, w)
		env["DISCORD_ALLOW_USER_IDS"] = strings.Join([]string{string(w.UserID("ada")), string(w.UserID("cyd")), string(w.UserID("bob"))}, ",")
		env["DISCORD_ALLOW_BOT_IDS"] = string(w.UserID("Friend"))
		env["DISCOCLAW_OPERATOR_USER_IDS"] = string(w.UserID("ada"))
		core, err := newCore(env, Externals{HTTP: w.HTTP()})
		if err != nil {
			t.Fatal(err)
		}
		if err := core.db.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName)); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- core.discord.Run(ctx, discordtest.Deaf{}) }()
		synctest.Wait()
		tour := tour{t: t, core: core, place: chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general")}}
		golden.Equal(t, "testdata/ways.golden", tour.table(ctx, visitors(w)))
		stop()
		if err := errors.Join(<-ended, core.db.Close()); err != nil {
			t.Error(err)
		}
	})
}

type tour struct {
	t     *testing.T
	core  *Core
	place chat.Place
}

func (r tour) table(ctx context.Context, all []visitor) string {
	var b strings.Builder
	for _, way := range flow.Ways() {
		fmt.Fprintf(&b, "%s\n", way)
		for _, v := range all {
			fmt.Fprintf(&b, "  %-31s %s\n", v.name, r.visit(ctx, way, v))
		}
	}
	return b.String()
}

// visit returns what a visitor could get done through a way in.
func (r tour) visit(ctx context.Context, way *access.Way, v visitor) string {
	if why := r.core.policy().Admit(way, v.user, r.place); why != access.Admitted {
		return "not admitted: " + string(why)
	}
	origin := actions.Origin{Flow: way.Flow, Place: r.place, Requester: v.user.ID}
	gate := r.core.registry.Gate(actionstest.Open(r.core.registry), flow.Narrowings(origin)...)
	var cells []string
	for _, c := range r.core.registry.Categories() {
		can, of := 0, 0
		for _, a := range c.Actions() {
			of++
			if gate.Verdict(a.Name).Decision == actions.Allowed && r.mayHave(ctx, origin, v, a) {
				can++
			}
		}
		if can > 0 {
			cells = append(cells, fmt.Sprintf("%s %d/%d", c.Name(), can, of))
		}
		if can > 0 && v.shutOut {
			r.t.Errorf("%s, a %s: %d types of %s", way, v.name, can, c.Name())
		}
	}
	if len(cells) == 0 {
		return "nothing"
	}
	return strings.Join(cells, ", ")
}

// mayHave reports whether a visitor may have an action executed, by its first example.
func (r tour) mayHave(ctx context.Context, o actions.Origin, v visitor, a *actions.Action) bool {
	b, err := a.Bind(a.Examples()[0])
	if err != nil {
		r.t.Fatal(err)
	}
	err = access.May(ctx, r.core.policy(), r.core.discord, o, b)
	if err == nil && v.powerless && (len(a.Needs) > 0 || b.Bounded() && a.Effect != actions.Queries) {
		r.t.Errorf("%s may be done for a %s", a.Name, v.name)
	}
	// Other errors, such as an example's missing channel, do not concern access.
	return err == nil || !v.powerless && !errors.As(err, new(*access.Denied))
}
