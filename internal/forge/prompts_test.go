package forge_test

import (
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/forge"
	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/verdict"
	"discoclaw/internal/test/golden"
)

func whole(q ask.Question) string {
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

// The example in the auditor's prompt is read as it is meant, and an auditor who repeats it, or the prompt, approves nothing.
func TestExampleOfTheAuditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, written(t, plan("x")), blocking)
	work := w.work()
	work.State = forge.State{Step: forge.Audit, Last: 1}
	w.mustRun(work)
	system := w.questions[0].System
	_, example, found := strings.Cut(system, "An example of a whole answer:\n\n")
	v := verdict.Parse(example)
	if !found || v.Malformed || v.Severity != verdict.Blocking || len(v.Concerns) != 2 || len(v.Blocking()) != 1 {
		t.Errorf("the example is read as %+v", v)
	}
	mended := strings.NewReplacer(`"blocking"`, `"medium"`, "true", "false", "Severity: blocking", "Severity: medium", "Needs revision", "Ready to approve").Replace(example)
	if v := verdict.Parse(mended); !v.Passes() || v.Severity != verdict.Medium {
		t.Errorf("the same with a pass is read as %+v", v)
	}
	if verdict.Parse(system).Passes() || verdict.Parse(w.questions[0].Text).Passes() {
		t.Error("the prompt itself passes")
	}
}
