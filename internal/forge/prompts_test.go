package forge_test

import (
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/forge"
	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/plantest"
	"discoclaw/internal/test/golden"
)

// whole is a question without its random word.
func whole(q ask.Question) string {
	q.Text = strings.ReplaceAll(q.Text, plantest.WithWord("{word}", q.Text), "WORD")
	return string(q.Role) + ", tools: " + string(q.Level) + "\n\n=== system ===\n" + q.System + "\n\n=== question ===\n" + q.Text + "\n"
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t), plan("first"), blocking, plan("final"), clean)
	work := w.work()
	work.Context = "jo: words with ``` count twice"
	work.Wish = "Keep the name of the command."
	work.Project.Guide = "Errors are sentences."
	w.mustRun(work)
	for i, name := range []string{"draft", "audit", "revise", "audit_again"} {
		golden.Equal(t, filepath.Join("testdata", name+".golden"), whole(w.questions[i]))
	}
}

// Without a folder and a command models are told so.
func TestPromptsWithoutTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t), plan("first"), clean)
	work := w.work()
	work.Project = forge.Project{}
	w.mustRun(work)
	for i, name := range []string{"draft_text", "audit_text"} {
		q := w.questions[i]
		golden.Equal(t, filepath.Join("testdata", name+".golden"), whole(q))
		if q.Level != llm.ToolsOff || q.Folder != "" || strings.Contains(q.System, "with your tools") {
			t.Errorf("%s speaks of tools: %+v", name, q)
		}
	}
}
