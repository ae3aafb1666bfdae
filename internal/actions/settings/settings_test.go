package settings

import (
	"strings"
	"testing"

	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

func tiers(c llm.Choice) string {
	if c.Model == "deep" {
		return "thinker-9"
	}
	return c.Model
}

func TestModelSet(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a concrete model", `{"type":"modelSet","role":"chat","model":"m-1"}`, "Done: Model updated: chat → m-1"},
		{"a tier", `{"type":"modelSet","role":"chat","model":"deep"}`, "Done: Model updated: chat → deep (resolves to thinker-9)"},
		{"a model of a runtime", `{"type":"modelSet","role":"chat","model":"brain:m-1"}`, "Done: Model updated: chat → brain:m-1"},
		{"a tier of a runtime", `{"type":"modelSet","role":"chat","model":"brain:deep"}`, "Done: Model updated: chat → brain:deep (resolves to brain:thinker-9)"},
		{"a colon in a model's name", `{"type":"modelSet","role":"chat","model":"m:deep"}`, "Done: Model updated: chat → m:deep"},
		{"a role that takes others along", `{"type":"modelSet","role":"fast","model":"m-1"}`, "Done: Model updated: fast → m-1, summary → m-1, cron → m-1"},
		{"a role in capitals", `{"type":"modelSet","role":"Plan-Run","model":"m-1"}`, "Done: Model updated: plan-run → m-1"},
		{"back to the environment's", `{"type":"modelSet","role":"cron-exec","model":"default"}`, "Done: Model updated: cron-exec → capable"},
		{"nothing given", `{"type":"modelSet"}`, "Failed: modelSet: role: missing; model: missing"},
		{"an unknown role", `{"type":"modelSet","role":"boss","model":"m-1"}`, `Failed: modelSet: role: "boss" is not one of chat, fast, forge-drafter, forge-auditor, summary, cron, cron-exec, plan-run`},
		{"white space", `{"type":"modelSet","role":"chat","model":"m 1"}`, `Failed: modelSet: model: "m 1" is not a model's name, which has no white space`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := New(roles.New(roles.Options{Runtimes: []string{"brain"}, Resolve: tiers}))
			if got := actionstest.Run(t, c, tt.in)[0]; got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestModelShow(t *testing.T) {
	c := New(roles.New(roles.Options{Resolve: tiers}))
	got := actionstest.Tell(t, c, `{"type":"modelSet","role":"chat","model":"m-1"}`, `{"type":"modelShow"}`)[1]
	want := strings.Join([]string{
		"Done: Models by role:",
		"**chat**: `m-1` *(override)*: messages, reactions and deferred runs",
		"**fast**: `fast`: small jobs",
		"**forge-drafter**: `capable`: drafting plans",
		"**forge-auditor**: `deep → thinker-9`: auditing plans",
		"**summary**: `fast` (follows fast): rolling summaries",
		"**cron**: `fast` (follows fast): classifying cron jobs",
		"**cron-exec**: `m-1` (follows chat): running cron jobs",
		"**plan-run**: `capable`: running plan phases",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
