package app

import (
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/config"
	"discoclaw/internal/llm/llmtest"
)

func TestEachModelIsTriedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(llmtest.Server).Listen()
		defer l.Close()
		l.Queue(llmtest.Text("yes"), llmtest.Text("yes"), llmtest.NoSuchModel())
		env := config.Env{
			"OPENAI_BASE_URL": l.URL, "OPENAI_MODEL": "m-1", "DISCOCLAW_FAST_MODEL": "m-2", "FORGE_AUDITOR_MODEL": "m-3", "DISCOCLAW_DATA_DIR": t.TempDir(),
		}
		var got []string
		for _, f := range TryModels(t.Context(), env, l.HTTP) {
			line := f.What + ": " + f.State
			if f.Wrong {
				line = "WRONG " + line
			}
			got = append(got, strings.ReplaceAll(line, l.URL, "URL"))
		}
		want := []string{
			"role chat, forge-drafter, cron-exec, plan-run: m-1 at URL answered after 0s",
			"role fast, summary, cron: m-2 at URL answered after 0s",
			`WRONG role forge-auditor: openai:m-3: model.test does not have the model that was asked for; choose another one than "m-3" in OPENAI_MODEL or RUNTIME_MODEL`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if n := len(l.Requests()); n != 3 {
			t.Errorf("%d requests were sent", n)
		}
	})
}
