package channels_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

// rightsLayout gives bob all rights that the category needs.
const rightsLayout = `
guild disco: #general #ops ideas:forum Projects:category
bot DiscoClaw
member ada: owner
member bob: helpers
role helpers: View Channel, Read Message History, Manage Channels, Manage Threads
tag x in ideas
thread "A plan" in ideas
thread "Old" in #ops
`

// A duty is a request and the channel of its rights.
type duty struct {
	in    string
	where string // empty for the server
	needs []chat.Permission
}

var (
	manage = []chat.Permission{chat.ManageChannels}
	duties = []duty{
		{`{"type":"channelInfo","channelId":"ops"}`, "ops", []chat.Permission{chat.ViewChannel}},
		{`{"type":"channelCreate","name":"x"}`, "", manage},
		{`{"type":"channelCreate","name":"x","parent":"Projects"}`, "Projects", manage},
		{`{"type":"channelEdit","channelId":"ops","name":"x"}`, "ops", manage},
		{`{"type":"channelDelete","channelId":"ops"}`, "ops", manage},
		{`{"type":"channelMove","channelId":"ops","position":0}`, "ops", manage},
		{`{"type":"channelMove","channelId":"ops","parent":"Projects"}`, "ops", manage},
		{`{"type":"channelMove","channelId":"ops","parent":"Projects"}`, "Projects", manage},
		{`{"type":"channelDelete","channelId":"Old"}`, "ops", []chat.Permission{chat.ManageChannels, chat.ManageThreads}},
		{`{"type":"categoryCreate","name":"x"}`, "", manage},
		{`{"type":"threadListArchived","channelId":"ops"}`, "ops", []chat.Permission{chat.ViewChannel, chat.ReadHistory}},
		{`{"type":"threadEdit","threadId":"a plan","name":"x"}`, "ideas", []chat.Permission{chat.ViewChannel, chat.ManageThreads}},
		{`{"type":"forumTagList","channelId":"ideas"}`, "ideas", []chat.Permission{chat.ViewChannel}},
		{`{"type":"forumTagCreate","channelId":"ideas","name":"y"}`, "ideas", manage},
		{`{"type":"forumTagEdit","channelId":"ideas","tagId":"x","name":"z"}`, "ideas", manage},
		{`{"type":"forumTagDelete","channelId":"ideas","tagId":"x"}`, "ideas", manage},
	}
)

// TestTheBotDoesNothingThatTheRequesterMayNot removes bob's rights one by one, where they
// are needed. The bot keeps its own.
func TestTheBotDoesNothingThatTheRequesterMayNot(t *testing.T) {
	t.Parallel()
	for _, d := range duties {
		t.Run(d.in+" in "+d.where, func(t *testing.T) {
			t.Parallel()
			for _, right := range d.needs {
				onServer(t, rightsLayout, func(t *testing.T, w *world) {
					w.take("bob", "helpers", d.where, right)
					before := w.Channels()
					got := w.Run("bob", d.in)[0]
					if right == chat.ViewChannel {
						// A hidden channel is not found.
						if !strings.Contains(got, ": I can't see a ") || strings.Contains(got, "did you mean") {
							t.Errorf("without seeing %s: %s", d.where, got)
						}
					} else if !strings.Contains(got, ": you need ") || !strings.Contains(got, "*"+string(right)+"*") {
						t.Errorf("without %s in %s: %s", right, d.where, got)
					}
					w.requireUnchanged(before)
				})
			}
			onServer(t, rightsLayout, func(t *testing.T, w *world) {
				if got := w.Run("bob", d.in)[0]; strings.Contains(got, ": you need ") {
					t.Errorf("with all rights: %s", got)
				}
			})
			onServer(t, rightsLayout, func(t *testing.T, w *world) {
				before := w.Channels()
				if got := w.Run("", d.in)[0]; !strings.Contains(got, "nobody is known to have asked") {
					t.Errorf("without a requester: %s", got)
				}
				w.requireUnchanged(before)
			})
		})
	}
}

// TestTheBotSaysWhichRightItLacks: the requester has all rights, and the bot lacks one.
func TestTheBotSaysWhichRightItLacks(t *testing.T) {
	t.Parallel()
	for _, d := range duties {
		right := d.needs[len(d.needs)-1]
		if right == chat.ViewChannel {
			continue // a channel that the bot does not see is not found
		}
		t.Run(d.in+" in "+d.where, func(t *testing.T) {
			t.Parallel()
			onServer(t, rightsLayout, func(t *testing.T, w *world) {
				w.take("DiscoClaw", "bot", d.where, right)
				before := w.Channels()
				got := w.Run("ada", d.in)[0]
				if !strings.HasPrefix(got, "Failed: ") || !strings.Contains(got, ": I need *"+string(right)+"*") {
					t.Errorf("without %s in %s: %s", right, d.where, got)
				}
				w.requireUnchanged(before)
			})
		})
	}
}

// take removes a right from a member in a channel, or from their role on the server.
func (w *world) take(who, role, where string, right chat.Permission) {
	w.t.Helper()
	err := w.SetPermission(role, right, false)
	if where != "" {
		err = w.Deny(where, who, right)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestActionsRunInTheCheckedChannel: a name may mean another channel when an action runs
// than when its rights were checked.
func TestActionsRunInTheCheckedChannel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, mine, theirs, want string }{
		{`{"type":"channelEdit","channelId":"ops","topic":"x"}`, "ops", "general", "Done: changed <#{was-ops}>’s topic"},
		{`{"type":"channelDelete","channelId":"ops"}`, "ops", "general", "Done: deleted **#was-ops**"},
		{`{"type":"channelMove","channelId":"ops","position":0}`, "ops", "general", "Done: moved <#{was-ops}> to the top"},
		{`{"type":"channelCreate","name":"x","parent":"Projects"}`, "Projects", "Staff", "> in **was-Projects**"},
		{`{"type":"threadEdit","threadId":"Old","name":"x"}`, "Old", "Secret", "Done: renamed **was-Old** to **x**"},
		{`{"type":"forumTagCreate","channelId":"ideas","name":"y"}`, "ideas", "plans", "Done: created the tag **y** in <#{was-ideas}>"},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			onServer(t, strings.Replace(rightsLayout, "Projects:category", "Projects:category Staff:category plans:forum", 1)+`thread "Secret" in #general`, func(t *testing.T, w *world) {
				w.Between = func() {
					for _, step := range [][2]string{{tt.mine, "was-" + tt.mine}, {tt.theirs, tt.mine}} {
						if err := w.RenameChannel(step[0], step[1]); err != nil {
							t.Fatal(err)
						}
					}
				}
				w.RequirePart("bob", tt.in, tt.want)
			})
		})
	}
}
