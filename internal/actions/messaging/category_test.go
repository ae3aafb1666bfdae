package messaging_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

// TestEachActionNamesWhatItNeeds pins the rights that a requester must have: without one
// of them the action would be open to all.
func TestEachActionNamesWhatItNeeds(t *testing.T) {
	t.Parallel()
	const read = "View Channel, Read Message History"
	want := map[string]string{
		"sendMessage":   "View Channel, Send Messages",
		"sendFile":      "View Channel, Send Messages, Attach Files",
		"readMessages":  read,
		"fetchMessage":  read,
		"listPins":      read,
		"react":         read + ", Add Reactions",
		"unreact":       read + ", Add Reactions",
		"editMessage":   read + ", Manage Messages",
		"deleteMessage": read, // TestDeletingNeedsTheRight has the rest
		"bulkDelete":    read + ", Manage Messages",
		"crosspost":     read + ", Manage Messages",
		"threadCreate":  "View Channel", // TestThreadsNeedTheRightOfTheirKind has the rest
		"pinMessage":    read + ", Pin Messages",
		"unpinMessage":  read + ", Pin Messages",
	}
	destructive := []string{"bulkDelete", "deleteMessage"}
	quiet := []string{"sendFile", "sendMessage"}
	queries := []string{"fetchMessage", "listPins", "readMessages"}
	for _, a := range messaging.New(nil, messaging.Options{}).Actions() {
		var needs []string
		for _, p := range a.Needs {
			needs = append(needs, string(p))
		}
		if got := strings.Join(needs, ", "); got != want[a.Name] {
			t.Errorf("%s needs %s, want %s", a.Name, got, want[a.Name])
		}
		delete(want, a.Name)
		if a.Destructive != slices.Contains(destructive, a.Name) || a.Quiet != slices.Contains(quiet, a.Name) || (a.Effect == actions.Queries) != slices.Contains(queries, a.Name) {
			t.Errorf("%s: destructive %v, quiet %v, query %v", a.Name, a.Destructive, a.Quiet, a.Effect == actions.Queries)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// TestEachActionSaysWhere: the rights are checked in the channel that an action is about,
// not in the one of the turn.
func TestEachActionSaysWhere(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "A plan" in ideas`, func(t *testing.T, w *world) {
		for _, a := range messaging.New(nil, messaging.Options{}).Actions() {
			args := strings.NewReplacer(`"general"`, `"ops"`, `"news"`, `"ops"`).Replace(string(a.Examples()[0]))
			if got, err := w.NeedsIn(args); err != nil || got != w.ChannelID("#ops") {
				t.Errorf("%s: where = %s, %v; want %s", args, got, err, w.ChannelID("#ops"))
			}
			if got, err := w.NeedsIn(strings.Replace(args, `"ops"`, `"basement"`, 1)); err == nil {
				t.Errorf("%s in no channel: where = %s", a.Name, got)
			}
		}
		// In a post, a message to the forum is the reply to the post.
		w.askedIn("A plan")
		got, err := w.NeedsIn(`{"type":"sendMessage","channel":"ideas","content":"x"}`)
		if err != nil || got != w.ChannelID("A plan") {
			t.Errorf("from a post to its forum: where = %s, %v; want the post", got, err)
		}
	})
}

// astray finds channels of another server, which a Server must not do.
type astray struct{ *discord.Client }

func (a astray) Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	ch, err := a.Client.Channel(ctx, g, who, ref)
	ch.Guild = "999999999999999999"
	return ch, err
}

func TestOtherServersAreOutOfReach(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		category := messaging.New(astray{w.Bot}, messaging.Options{Roots: []string{w.files}})
		w.Offer(category)
		w.write("a.txt", "hello")
		before := len(w.Requests())
		for _, a := range category.Actions() {
			args := strings.Replace(string(a.Examples()[0]), "reports/may.pdf", "a.txt", 1)
			w.RequirePart("ada", args, "Failed: "+a.Name+": channel ", " not found on this server")
		}
		for _, x := range w.Requests()[before:] {
			if !strings.Contains(x.Path, "/members/") { // the requester is looked up
				t.Errorf("%s %s was sent", x.Method, x.Path)
			}
		}
	})
}

func TestTheBotsMissingPermissionIsNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ permission, in string }{
		{"Send Messages", `{"type":"sendMessage","channel":"ops","content":"x"}`},
		{"Attach Files", `{"type":"sendFile","channel":"ops","filePath":"a.txt"}`},
		{"Add Reactions", `{"type":"react","channelId":"ops","messageId":"ID","emoji":"👍"}`},
		{"Read Message History", `{"type":"fetchMessage","channelId":"ops","messageId":"ID"}`},
		{"Manage Messages", `{"type":"deleteMessage","channelId":"ops","messageId":"ID"}`},
		{"Manage Messages", `{"type":"bulkDelete","channelId":"ops","count":2}`},
		{"Create Public Threads", `{"type":"threadCreate","channelId":"ops","name":"x"}`},
		{"Pin Messages", `{"type":"pinMessage","channelId":"ops","messageId":"ID"}`},
		{"Pin Messages", `{"type":"unpinMessage","channelId":"ops","messageId":"ID"}`},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			onServer(t, layout+"deny #ops DiscoClaw: "+tt.permission, func(t *testing.T, w *world) {
				w.write("a.txt", "hello")
				w.say("bob", "#ops", "one")
				id := w.say("bob", "#ops", "two")
				w.RequirePart("ada", strings.Replace(tt.in, "ID", id, 1), "Failed: ", "I need *"+tt.permission+"* in <#{ops}>")
				w.requireTexts("#ops", "one", "two")
			})
		})
	}
}
