package channels_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/channels"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

// TestEachActionNamesWhatItNeeds pins the rights that a requester must have: without one
// of them the action would be open to all.
func TestEachActionNamesWhatItNeeds(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"channelList":        "", // lists only visible channels
		"channelInfo":        "View Channel",
		"channelCreate":      "Manage Channels",
		"channelEdit":        "Manage Channels",
		"channelDelete":      "Manage Channels",
		"channelMove":        "Manage Channels",
		"categoryCreate":     "Manage Channels",
		"threadListArchived": "View Channel, Read Message History",
		"threadEdit":         "View Channel, Manage Threads",
		"forumTagList":       "View Channel",
		"forumTagCreate":     "Manage Channels",
		"forumTagEdit":       "Manage Channels",
		"forumTagDelete":     "Manage Channels",
		"channelPermissions": "View Channel", // and more for changes
		"webhookList":        "Manage Webhooks",
	}
	destructive := []string{"channelDelete", "forumTagDelete"}
	queries := []string{"channelList", "channelInfo", "threadListArchived", "forumTagList", "webhookList"}
	for _, a := range channels.New(nil).Actions() {
		var needs []string
		for _, p := range a.Needs {
			needs = append(needs, string(p))
		}
		got := strings.Join(needs, ", ")
		if expected, known := want[a.Name]; !known || got != expected {
			t.Errorf("%s needs %s, want %s", a.Name, got, expected)
		}
		delete(want, a.Name)
		if a.Quiet || a.Destructive != slices.Contains(destructive, a.Name) || (a.Effect == actions.Queries) != slices.Contains(queries, a.Name) {
			t.Errorf("%s: quiet %v, destructive %v, query %v", a.Name, a.Quiet, a.Destructive, a.Effect == actions.Queries)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// everyType has a request for each action.
const everyType = `
{"type":"channelInfo","channelId":"ops"}
{"type":"channelCreate","name":"x","parent":"Projects"}
{"type":"channelEdit","channelId":"ops","name":"x"}
{"type":"channelMove","channelId":"ops","position":0}
{"type":"channelDelete","channelId":"ops"}
{"type":"threadListArchived","channelId":"ops"}
{"type":"threadEdit","threadId":"a plan","name":"x"}
{"type":"forumTagList","channelId":"ideas"}
{"type":"forumTagCreate","channelId":"ideas","name":"x"}
{"type":"forumTagEdit","channelId":"ideas","tagId":"x","name":"y"}
{"type":"forumTagDelete","channelId":"ideas","tagId":"x"}
{"type":"channelPermissions","channelId":"ops","role":"everyone","deny":["Send Messages"]}
{"type":"webhookList","channelId":"ops"}
`

// TestEachActionSaysWhere: the rights are checked in the channel that an action is about,
// not in the one of the turn.
func TestEachActionSaysWhere(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "A plan" in ideas`, func(t *testing.T, w *world) {
		for args := range strings.Lines(strings.TrimSpace(everyType)) {
			place := "#ops"
			switch {
			case strings.Contains(args, "Projects"):
				place = "Projects"
			case strings.Contains(args, "a plan"):
				place = "A plan"
			case strings.Contains(args, "ideas"):
				place = "ideas"
			}
			if got, err := w.NeedsIn(args); err != nil || got != w.ChannelID(place) {
				t.Errorf("%s: where = %s, %v; want %s", args, got, err, w.ChannelID(place))
			}
			nowhere := strings.NewReplacer("ops", "basement", "Projects", "basement", "a plan", "basement", "ideas", "basement").Replace(args)
			if got, err := w.NeedsIn(nowhere); err == nil {
				t.Errorf("%s: where = %s", nowhere, got)
			}
		}
		for _, args := range []string{`{"type":"channelCreate","name":"x"}`, `{"type":"categoryCreate","name":"x"}`, `{"type":"channelList"}`} {
			if got, err := w.NeedsIn(args); err != nil || got != "" {
				t.Errorf("%s: where = %s, %v; want the server as a whole", args, got, err)
			}
		}
	})
}

// astray finds channels of another server, which a Server must not do.
type astray struct{ *discord.Client }

func elsewhere(ch chat.Channel, err error) (chat.Channel, error) {
	ch.Guild = "999999999999999999"
	return ch, err
}

func (a astray) AnyChannel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return elsewhere(a.Client.AnyChannel(ctx, g, who, ref))
}

func (a astray) Category(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return elsewhere(a.Client.Category(ctx, g, who, ref))
}

func (a astray) Thread(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return elsewhere(a.Client.Thread(ctx, g, who, ref))
}

func TestOtherServersAreOutOfReach(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "A plan" in ideas`, func(t *testing.T, w *world) {
		w.Offer(channels.New(astray{w.Bot}))
		before := len(w.Requests())
		for args := range strings.Lines(strings.TrimSpace(everyType)) {
			w.RequirePart("ada", args, "Failed: ", `: channel "`, " not found on this server")
		}
		for _, x := range w.Requests()[before:] {
			if x.Route != "GET /guilds/{guild}/members/{user}" { // the requester
				t.Errorf("%s was requested", x.Route)
			}
		}
	})
}

func TestOutsideOfAServerThereAreNoChannels(t *testing.T) {
	t.Parallel()
	category := channels.New(struct{ channels.Server }{}) // which must not be called
	for _, args := range []string{`{"type":"channelList"}`, `{"type":"channelInfo","channelId":"ops"}`, `{"type":"channelCreate","name":"x"}`, `{"type":"categoryCreate","name":"x"}`} {
		if got := actionstest.Run(t, category, args)[0]; got != "Failed: this works on a server only" {
			t.Error(got)
		}
	}
}
