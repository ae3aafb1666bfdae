package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/workspace"
)

// files are the names in the folder of the context files.
func files(t *testing.T, o workspace.Options) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(o.Content, "discord", "channels"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestEveryChannelGetsAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, called string
		want         string
	}{
		{"plain letters", "General Chat_2", "general-chat_2.md"},
		{"a way out", "../../../etc/passwd", "etc-passwd.md"},
		{"no plain letter", "日本", string(general) + ".md"},
		{"the name of the direct messages", "DM", "dm-" + string(general) + ".md"},
		{"a name that looks like another", "o p s", "o-p-s.md"},
		{"the name of another", "OPS", "ops-" + string(general) + ".md"},
		{"table marks and lines", "a | b\n| #x | 444444444444444444 |", "a-b-x-444444444444444444.md"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, o := open(t)
			channel(t, w, in(ops), "ops")
			channel(t, w, in(general), tt.called)
			var want []string
			for _, name := range []string{"dm.md", "ops.md", tt.want} {
				if _, err := os.Stat(filepath.Join(o.Content, "discord", "channels", name)); err != nil {
					t.Error(err)
				}
				want = append(want, name)
			}
			if got := files(t, o); len(got) != len(want) {
				t.Errorf("the files are %v", got)
			}
			put(t, "mine", o.Content, "discord", "channels", tt.want)
			if got := channel(t, workspace.New(o), in(general), "renamed since"); len(got) != 1 || got[0].Text != "mine" {
				t.Errorf("the context is %v", got)
			}
		})
	}
}

func TestTheIndexCanBeWrittenByHand(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	put(t, "# Our channels\n\n| Channel | ID | File | Why |\n|---|---|---|---|\n"+
		"| #general | `111111111111111111` | `../../talk.md` | chat |\n"+
		"|#Big Ops|222222222222222222|\n\nThat is all.", o.Content, "discord", "DISCORD.md")
	put(t, "talk", o.Content, "discord", "channels", "talk.md")
	put(t, "stolen", o.Content, "talk.md")
	put(t, "work", o.Content, "discord", "channels", "big-ops.md")
	for ch, want := range map[chat.ChannelID]string{general: "talk", ops: "work"} {
		if got := channel(t, w, in(ch), "x"); len(got) != 1 || got[0].Text != want {
			t.Errorf("in %s the context is %v, want %q", ch, got, want)
		}
	}
	channel(t, w, in(thread), "new one")
	want := "| #new one | 333333333333333333 | new-one.md |\n\nThat is all.\n"
	if index := get(t, o.Content, "discord", "DISCORD.md"); !strings.HasSuffix(index, want) {
		t.Errorf("the index is\n%s", index)
	}
}

func TestARequiredContextThatIsMissingNamesTheRemedy(t *testing.T) {
	t.Parallel()
	byHand := func(o *workspace.Options) { o.AutoIndex = false }
	inTheWay := func(t *testing.T, o workspace.Options) {
		if err := os.RemoveAll(filepath.Join(o.Content, "discord")); err != nil {
			t.Fatal(err)
		}
		put(t, "no folder", o.Content, "discord")
	}
	for _, tt := range []struct {
		name   string
		change func(*workspace.Options)
		before func(*testing.T, workspace.Options)
		want   string
	}{
		{"not in the index", byHand, nil, "this channel has no context file: name one in discord/DISCORD.md"},
		{"without a content folder", byHand, func(t *testing.T, o workspace.Options) { _ = os.RemoveAll(o.Content) }, "this channel has no context file"},
		{"in the index, but gone", byHand, func(t *testing.T, o workspace.Options) {
			put(t, "|#general|"+string(general)+"|", o.Content, "discord", "DISCORD.md")
		}, "this channel has no context file"},
		{"no text", byHand, func(t *testing.T, o workspace.Options) {
			put(t, "|#general|"+string(general)+"|", o.Content, "discord", "DISCORD.md")
			put(t, "\x00", o.Content, "discord", "channels", "general.md")
		}, "the context file general.md of this channel cannot be read"},
		{"cannot be made", func(*workspace.Options) {}, inTheWay, "the context file of this channel cannot be made"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, o := open(t, tt.change)
			if tt.before != nil {
				tt.before(t, o)
			}
			_, err := w.Context(t.Context(), in(general), "general")
			if err == nil || strings.Contains(err.Error(), "DISCORD_") {
				t.Fatalf("for members: %v", err)
			}
			if all := chat.ForOperators(err).Error(); !strings.Contains(all, "; "+tt.want) || !strings.Contains(all, "DISCORD_REQUIRE_CHANNEL_CONTEXT=0") {
				t.Errorf("for operators: %s", all)
			}
			if err != nil && strings.Contains(err.Error(), o.Content) {
				t.Errorf("%q names a folder of this machine", err)
			}
			o.Require = false
			if got := channel(t, workspace.New(o), in(general), "general"); got != nil {
				t.Errorf("without the rule there is %v", got)
			}
		})
	}
}

func TestWithoutAutoIndexNothingIsWritten(t *testing.T) {
	t.Parallel()
	w, o := open(t, func(o *workspace.Options) { o.AutoIndex, o.Require = false, false })
	before := append(files(t, o), get(t, o.Content, "discord", "DISCORD.md"))
	channel(t, w, in(general), "general")
	channel(t, w, chat.Place{Channel: "5"}, "")
	if diff := cmp.Diff(before, append(files(t, o), get(t, o.Content, "discord", "DISCORD.md"))); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
