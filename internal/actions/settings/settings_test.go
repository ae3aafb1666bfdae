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
		{"a concrete model", `{"type":"modelSet","role":"chat","model":"m-1"}`, "Done: changed the model: **chat** is now `m-1`"},
		{"a tier", `{"type":"modelSet","role":"chat","model":"deep"}`, "Done: changed the model: **chat** is now `deep` (that is `thinker-9`)"},
		{"a model of a runtime", `{"type":"modelSet","role":"chat","model":"brain:m-1"}`, "Done: changed the model: **chat** is now `brain:m-1`"},
		{"a tier of a runtime", `{"type":"modelSet","role":"chat","model":"brain:deep"}`, "Done: changed the model: **chat** is now `brain:deep` (that is `brain:thinker-9`)"},
		{"a colon in a model's name", `{"type":"modelSet","role":"chat","model":"m:deep"}`, "Done: changed the model: **chat** is now `m:deep`"},
		{"a role that takes others along", `{"type":"modelSet","role":"fast","model":"m-1"}`, "Done: changed the model: **fast** is now `m-1`, **summary** is now `m-1`, **consent** is now `m-1`, **cron** is now `m-1`"},
		{"a role in capitals", `{"type":"modelSet","role":"Plan-Run","model":"m-1"}`, "Done: changed the model: **plan-run** is now `m-1`"},
		{"back to the environment's", `{"type":"modelSet","role":"cron-exec","model":"default"}`, "Done: changed the model: **cron-exec** is now `capable`"},
		{"nothing given", `{"type":"modelSet"}`, "Failed: modelSet: role: missing; model: missing"},
		{"an unknown role", `{"type":"modelSet","role":"boss","model":"m-1"}`, `Failed: modelSet: role: "boss" is not one of chat, fast, forge-drafter, forge-auditor, summary, consent, cron, cron-exec, plan-run, voice`},
		{"white space", `{"type":"modelSet","role":"chat","model":"m 1"}`, `Failed: modelSet: model: "m 1" is not a model's name, which has no white space`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := New(roles.New(roles.Options{Runtimes: []string{"brain"}, Resolve: tiers}), nil)
			if got := actionstest.Tell(t, c, tt.in)[0]; got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestModelShow(t *testing.T) {
	c := New(roles.New(roles.Options{Resolve: tiers}), nil)
	got := actionstest.Tell(t, c, `{"type":"modelSet","role":"chat","model":"m-1"}`, `{"type":"modelShow"}`)[1]
	want := strings.Join([]string{
		"Done: Models by role:",
		"**chat**: `m-1` *(override)*: messages, reactions and deferred runs",
		"**fast**: `fast`: small jobs",
		"**forge-drafter**: `capable`: drafting plans",
		"**forge-auditor**: `deep → thinker-9`: auditing plans",
		"**summary**: `fast` (follows fast): rolling summaries",
		"**consent**: `fast` (follows fast): whether changes follow from the words of the person who asked",
		"**cron**: `fast` (follows fast): reading and tagging scheduled jobs",
		"**cron-exec**: `m-1` (follows chat): running scheduled jobs",
		"**plan-run**: `capable`: running plan phases",
		"**voice**: `m-1` (follows chat): talk in calls",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
