package fakediscord_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestMembersCanDoWhatDiscordAllows(t *testing.T) {
	t.Parallel()
	const layout = "guild d: #a #b\nmember bob\nmember eve\ndeny #a eve: Send Messages, Add Reactions\ndeny #b eve: View Channel\nthread \"t\" in #a: locked"
	for _, tt := range []struct {
		name string
		do   func(r *rig, m fakediscord.Message) error
		want string // part of the refusal, or empty
	}{
		{"say", func(r *rig, m fakediscord.Message) error { _, err := r.Say("bob", "a", "x"); return err }, ""},
		{"say nothing", func(r *rig, m fakediscord.Message) error { _, err := r.Say("bob", "#a", ""); return err }, "empty message"},
		{"say too much", func(r *rig, m fakediscord.Message) error {
			_, err := r.Say("bob", "#a", strings.Repeat("x", 2001))
			return err
		}, "2001 characters"},
		{"say as nobody", func(r *rig, m fakediscord.Message) error { _, err := r.Say("max", "#a", "x"); return err }, "no member max"},
		{"say nowhere", func(r *rig, m fakediscord.Message) error { _, err := r.Say("bob", "#c", "x"); return err }, "no channel #c"},
		{"say where one is mute", func(r *rig, m fakediscord.Message) error { _, err := r.Say("eve", "#a", "x"); return err }, "eve cannot write in #a"},
		{"say where one is blind", func(r *rig, m fakediscord.Message) error { _, err := r.Say("eve", "#b", "x"); return err }, "eve does not see #b"},
		{"say in a locked thread", func(r *rig, m fakediscord.Message) error { _, err := r.Say("bob", "t", "x"); return err }, "locked"},
		{"answer", func(r *rig, m fakediscord.Message) error {
			_, err := r.Say("bob", "#a", "x", fakediscord.Answering(m.ID))
			return err
		}, ""},
		{"answer nothing", func(r *rig, m fakediscord.Message) error {
			_, err := r.Say("bob", "#a", "x", fakediscord.Answering("1"))
			return err
		}, "no message 1"},
		{"edit", func(r *rig, m fakediscord.Message) error { return r.EditAs("bob", m.ID, "y") }, ""},
		{"edit everything away", func(r *rig, m fakediscord.Message) error { return r.EditAs("bob", m.ID, " ") }, "empty"},
		{"edit what others wrote", func(r *rig, m fakediscord.Message) error { return r.EditAs("ada", m.ID, "y") }, "somebody else"},
		{"edit nothing", func(r *rig, m fakediscord.Message) error { return r.EditAs("bob", "1", "y") }, "no message 1"},
		{"delete", func(r *rig, m fakediscord.Message) error { return r.DeleteAs("bob", m.ID) }, ""},
		{"delete as the owner", func(r *rig, m fakediscord.Message) error { return r.DeleteAs("ada", m.ID) }, ""},
		{"delete what others wrote", func(r *rig, m fakediscord.Message) error { return r.DeleteAs("eve", m.ID) }, "somebody else"},
		{"react", func(r *rig, m fakediscord.Message) error { return r.React("bob", m.ID, "🔥") }, ""},
		{"react without the right", func(r *rig, m fakediscord.Message) error { return r.React("eve", m.ID, "🔥") }, "Missing Permissions"},
		{"take back what is not there", func(r *rig, m fakediscord.Message) error { return r.Unreact("bob", m.ID, "🔥") }, "Unknown Emoji"},
		{"pin", func(r *rig, m fakediscord.Message) error { return r.PinAs("ada", m.ID) }, ""},
		{"pin without the right", func(r *rig, m fakediscord.Message) error { return r.PinAs("bob", m.ID) }, "bob cannot pin"},
		{"start a thread", func(r *rig, m fakediscord.Message) error { _, err := r.StartThread("bob", "#a", "x"); return err }, ""},
		{"start a thread in a thread", func(r *rig, m fakediscord.Message) error { _, err := r.StartThread("bob", "t", "x"); return err }, "no threads"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, layout)
			err := tt.do(r, r.say("bob", "#a", "hello"))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want a refusal with %q", err, tt.want)
			}
		})
	}
}

func TestChangesToUnknownObjectsAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	for name, err := range map[string]error{
		"allow nobody":         r.Allow("#a", "max", chat.ViewChannel),
		"allow nowhere":        r.Allow("#b", "ada", chat.ViewChannel),
		"deny a strange right": r.Deny("#a", "ada", "Fly"),
		"a strange role":       r.SetPermission("max", chat.ViewChannel, true),
		"grant to nobody":      r.GrantRole("max", "bot"),
		"revoke what is not":   r.RevokeRole("ada", "mods"),
		"archive a channel":    r.Archive("#a"),
		"rename nothing":       r.RenameChannel("#b", "c"),
		"delete nothing":       r.DeleteChannel("#b"),
		"remove nobody":        r.RemoveMember("max"),
		"nobody's letters":     r.RefuseDMs("max"),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := r.AddChannel("b:chess"); err == nil {
		t.Error("a channel of a strange kind was made")
	}
}

func TestATranscriptShowsVisibleMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #general #ops\nmember bob\nthread \"help me\" in #general")
	hello := r.say("ada", "#general", "hello\nall")
	r.must(r.React("bob", hello.ID, "👍"))
	r.send("PUT", r.at(hello, "/reactions/%F0%9F%91%8D/@me"), "").want(204, 0)
	r.must(r.PinAs("ada", hello.ID))
	answer := r.post("#general", "Thinking…")
	r.send("PATCH", r.at(answer, ""), `{"content":"One moment.\nDone: 2 channels",`+quiet+`}`).want(200, 0)
	r.must(r.EditAs("bob", r.say("bob", "#ops", "oops").ID, "fine"))
	r.say("bob", "help me", "", fakediscord.Attaching("log.txt", "text/plain", []byte("x")))
	r.must(r.SetNick("bob", "Bobby"))
	want := strings.Join([]string{
		"#general ada: hello",
		"  all [pinned, 👍 Bobby bot]",
		"#general bot: One moment.",
		"  Done: 2 channels",
		"#ops Bobby: fine [edited]",
		"#help me Bobby: [file log.txt]",
		"",
	}, "\n")
	if got := r.Transcript(); got != want {
		t.Errorf("transcript:\n%s\nwant:\n%s", got, want)
	}
	if got := r.Transcript("ops"); got != "#ops Bobby: fine [edited]\n" {
		t.Errorf("transcript of one channel:\n%s", got)
	}
}
