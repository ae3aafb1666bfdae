package stream_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"discoclaw/internal/turn/stream"
)

func says(at time.Duration, text string) arrival { return arrival{at: at, text: text} }

func starts(at time.Duration, name, about string) arrival {
	return arrival{at: at, tell: func(e *stream.Editor) { e.ToolStart(name, about) }}
}

func ends(at time.Duration, name string) arrival {
	return arrival{at: at, tell: func(e *stream.Editor) { e.ToolEnd(name) }}
}

func TestToolsAreInTheStatus(t *testing.T) {
	t.Parallel()
	const sec = time.Second
	for _, tt := range []struct {
		name   string
		script []arrival
		end    time.Duration
		want   []edit
	}{
		{"a tool from the beginning", []arrival{starts(2*sec, "Read", "/home/me/project/src/main.go"), ends(4*sec, "Read"), says(6*sec, "Done.")}, 7 * sec, []edit{
			{2 * sec, "**Thinking...**\n-# 2 s · reading src/main.go"},
			{4 * sec, "**Thinking...**\n-# 4 s"},
			{6 * sec, "Done.\n-# 6 s"},
		}},
		{"text alone waits for a moment", []arrival{says(2*sec, "Hel"), says(2100*ms, "Hello")}, 4 * sec, []edit{
			{2800 * ms, "Hello\n-# 2 s"},
		}},
		{"later text does not", []arrival{says(2*sec, "a"), says(5*sec, "ab"), says(7*sec, "abc")}, 8 * sec, []edit{
			{2800 * ms, "a\n-# 2 s"},
			{5 * sec, "ab\n-# 5 s"},
			{7 * sec, "abc\n-# 7 s"},
		}},
		{"a remark before a tool does not flicker", []arrival{
			says(2*sec, "Let me look."), starts(2500*ms, "Grep", ""), ends(4*sec, "Grep"), says(4200*ms, "Let me look. Two."),
		}, 6 * sec, []edit{
			{2500 * ms, "**Thinking...**\n-# 2 s · searching"},
			{4 * sec, "**Thinking...**\n-# 4 s"},
			{5250 * ms, "Let me look. Two.\n-# 5 s"},
		}},
		{"a remark comes back if nothing follows", []arrival{says(2*sec, "Look."), starts(2500*ms, "Glob", ""), ends(4*sec, "Glob")}, 6 * sec, []edit{
			{2500 * ms, "**Thinking...**\n-# 2 s · looking for files"},
			{4 * sec, "**Thinking...**\n-# 4 s"},
			{5250 * ms, "Look.\n-# 5 s"},
		}},
		{"text while a tool is used", []arrival{starts(2*sec, "Bash", "rm -rf /"), says(4*sec, "Still at it.")}, 5 * sec, []edit{
			{2 * sec, "**Thinking...**\n-# 2 s · running a command"},
			{4 * sec, "Still at it.\n-# 4 s · running a command"},
		}},
		{"text that was shown stays", []arrival{says(2*sec, "One."), starts(4*sec, "Edit", "a.go"), ends(6*sec, "Edit")}, 7 * sec, []edit{
			{2800 * ms, "One.\n-# 2 s"},
			{4050 * ms, "One.\n-# 4 s · editing a.go"},
			{6 * sec, "One.\n-# 6 s"},
		}},
		{"several tools at once", []arrival{starts(2*sec, "Read", "a"), starts(2100*ms, "read_file", `C:\\src\\b.go`), starts(2200*ms, "Read", "c"), ends(6*sec, "Read"), ends(9*sec, "Read")}, 10 * sec, []edit{
			{2 * sec, "**Thinking...**\n-# 2 s · reading a"},
			{3250 * ms, "**Thinking...**\n-# 3 s · reading c, and 2 more"},
			{6 * sec, "**Thinking...**\n-# 6 s · reading c, and 1 more"},
			{9 * sec, "**Thinking...**\n-# 9 s · reading src/b.go"},
		}},
		{"a tool that is over before it can be shown", []arrival{starts(100*ms, "Read", "a"), ends(200*ms, "Read")}, 4 * sec, nil},
		{"an unknown tool", []arrival{starts(2*sec, "deploy_to_production", "secret.key")}, 3 * sec, []edit{
			{2 * sec, "**Thinking...**\n-# 2 s · using a tool"},
		}},
		{"an end without a beginning", []arrival{ends(2*sec, "Read"), says(3*sec, "Hi.")}, 5 * sec, []edit{
			{3800 * ms, "Hi.\n-# 3 s"},
		}},
		{"a name that would be formatted", []arrival{starts(2*sec, "Read", "**x**\n/<@1>")}, 3 * sec, []edit{
			{2 * sec, "**Thinking...**\n-# 2 s · reading \\*\\*x\\*\\*/\\<@1\\>"},
		}},
		{"a tool that takes long", []arrival{starts(2*sec, "WebSearch", "cats")}, 63 * sec, []edit{
			{2 * sec, "**Thinking...**\n-# 2 s · searching the web"},
			{62 * sec, "**Thinking...**\n-# 1 min 2 s · searching the web · nothing from the model for 1 min"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMessage()
				follow(stream.Start(t.Context(), m.show, stream.Options{KeepAlive: never, Tools: true}), m, tt.end, tt.script...)
				m.requireEdits(t, tt.want...)
			})
		})
	}
}

func TestToolsAreNotInTheStatusUnlessTheOptionIsOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		script := []arrival{says(2*time.Second, "Look."), starts(2500*ms, "Glob", ""), ends(4*time.Second, "Glob")}
		follow(stream.Start(t.Context(), m.show, stream.Options{KeepAlive: never}), m, 6*time.Second, script...)
		m.requireEdits(t, edit{2 * time.Second, "Look.\n-# 2 s"})
	})
}

// TestToolsOfRandomStreamsKeepTheRules: whatever tools a model uses, edits keep their
// pause, show nothing but the text so far, and show all of it in the end.
func TestToolsOfRandomStreamsKeepTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{"text", "text", "event", "Read", "Bash", "odd", "/Read", "/Bash", "/odd"}), 0, 40).Draw(rt, "steps")
		pauses := rapid.SliceOfN(rapid.IntRange(1, 3000), len(steps), len(steps)).Draw(rt, "pauses")
		var m *message
		text := ""
		synctest.Test(t, func(t *testing.T) {
			m = newMessage()
			var script []arrival
			at := time.Duration(0)
			for i, step := range steps {
				at += time.Duration(pauses[i]) * ms
				switch name, done := strings.CutPrefix(step, "/"); {
				case step == "text":
					text += "x"
					script = append(script, says(at, text))
				case step == "event":
					script = append(script, arrival{at: at})
				case done:
					script = append(script, ends(at, name))
				default:
					script = append(script, starts(at, name, "secret/src/main.go"))
				}
			}
			for _, name := range steps { // so that every tool is done in the end
				script = append(script, ends(at+time.Second, name))
			}
			follow(stream.Start(t.Context(), m.show, stream.Options{Tools: true}), m, at+20*time.Second, script...)
		})
		last := edit{}
		for _, e := range m.edits {
			body, _, _ := strings.Cut(e.Text, "\n-# ")
			if e.At-last.At < 1250*ms || strings.Contains(e.Text, "secret") || body != stream.Thinking && !strings.HasPrefix(text, body) {
				rt.Fatalf("edit at %v, after one at %v, shows %q", e.At, last.At, e.Text)
			}
			last = e
		}
		if body, status, _ := strings.Cut(last.Text, "\n-# "); text != "" && body != text || strings.Contains(status, "·") {
			rt.Fatalf("in the end, %q is shown for %q", last.Text, text)
		}
	})
}
