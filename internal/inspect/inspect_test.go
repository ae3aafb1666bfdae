package inspect_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/reference"
	"discoclaw/internal/app"
	"discoclaw/internal/config"
	"discoclaw/internal/flow"
	"discoclaw/internal/inspect"
	"discoclaw/internal/test/golden"
	"discoclaw/internal/workspace"
)

// newInspector returns what inspects the bot of these settings.
func newInspector(t *testing.T, env config.Env) *inspect.Inspector {
	t.Helper()
	core, err := app.NewCore(env)
	if err != nil {
		t.Fatal(err)
	}
	return core.Inspect
}

// scaffolded returns an inspector of a bot with a fresh data directory.
func scaffolded(t *testing.T, settings ...string) *inspect.Inspector {
	t.Helper()
	i := newInspector(t, config.NewEnv(append(settings, "DISCOCLAW_DATA_DIR="+t.TempDir())))
	if err := workspace.New(i.Workspace).Scaffold(); err != nil {
		t.Fatal(err)
	}
	return i
}

func TestPromptOfEachFlow(t *testing.T) {
	i := newInspector(t, config.Env{})
	for flow, file := range map[string]string{"message": "message", "cron": "cron", "webhook": "cron", "voice": "voice"} {
		taught, err := i.Prompt(flow)
		if err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "testdata/prompt-"+file+".golden", taught+"\n")
	}
	for _, flow := range []string{"dm", "trusted-bot"} {
		if taught, err := i.Prompt(flow); err != nil || taught != "" {
			t.Errorf("in the flow %s the model is taught %s, %v", flow, taught, err)
		}
	}
}

// TestStaticPromptDoesNotChange: the static part must be the same from turn to turn and from start
// to start, or providers could not cache it.
func TestStaticPromptDoesNotChange(t *testing.T) {
	said := []string{"", "calculate 2+2", "which model is this?"}
	want := ""
	for i := range 9 {
		in := newInspector(t, config.Env{})
		gate, err := in.Gate("message")
		if err != nil {
			t.Fatal(err)
		}
		p, err := inspect.SamplePrompt(in, t.Context(), gate, actions.FlowMessage, said[i%len(said)])
		if err != nil {
			t.Fatal(err)
		}
		req, err := p.First(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		static := req.System[:req.Stable]
		if want != "" && static != want {
			t.Fatalf("the static part changed:\n%s", cmp.Diff(want, static))
		}
		want = static
	}
}

func TestListingOfASharedSwitch(t *testing.T) {
	cats := actionstest.Catalogue(nil)
	reg := actionstest.Registry(t, cats...)
	i := inspect.New(inspect.Options{Registry: reg, Flags: actionstest.Open(reg, "messaging")})
	all, err := i.List(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if l.Type == "reactionPrompt" && (l.Env != "SWITCH_MESSAGING" || !l.Enabled || l.Judgement != nil) {
			t.Errorf("reactionPrompt is ruled by the switch of messaging, not %+v", l)
		}
	}
}

func TestSchemasAreJSON(t *testing.T) {
	for name, schema := range newInspector(t, config.Env{}).Schemas() {
		var object struct{ Type string }
		if err := json.Unmarshal(schema, &object); err != nil || object.Type != "object" {
			t.Errorf("%s: %s, %v", name, schema, err)
		}
	}
}

// TestAPlainPromptHasAtMost8KB checks the README's promise of a cheap turn, with the documents of a
// fresh data directory.
func TestAPlainPromptHasAtMost8KB(t *testing.T) {
	t.Parallel()
	i := scaffolded(t)
	everything := "Create a channel, thread, forum tag, role, event, invite and poll; send, pin, react to, search and delete messages; " +
		"show members, the audit log, emoji, webhooks and permissions; set the bot's status, the model, calculate 2+2, remind me later."
	for _, flow := range []string{"message", "reaction", "dm", "defer", "trusted-bot"} {
		for _, text := range []string{"", "hello", everything, strings.Repeat(everything+" ", 5)} {
			size, err := i.PromptSize(t.Context(), flow, text)
			if err != nil {
				t.Fatal(err)
			}
			if size.Bytes > 8000 || size.Static == 0 || size.Static > size.Bytes {
				t.Errorf("%s, %d bytes of text: %+v", flow, len(text), size)
			}
		}
	}
	plain, err := i.PromptSize(t.Context(), "message", "hello")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a greeting costs %+v", plain)
}

// TestThePageOnDialectsSaysHowLongFunctionsAre, within a kilobyte.
func TestThePageOnDialectsSaysHowLongFunctionsAre(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/dialects.md")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`about (\d+) KB in each\s+request, where the list is (\d+) KB`).FindSubmatch(page)
	if said == nil {
		t.Fatal("it does not say so")
	}
	for i, part := range []struct{ setting, name string }{{"DISCOCLAW_NATIVE_TOOLS=on", "functions"}, {"DISCOCLAW_NATIVE_TOOLS=off", "actions"}} {
		size, err := scaffolded(t, part.setting).PromptSize(t.Context(), "message", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range size.Sections {
			if kb, _ := strconv.Atoi(string(said[i+1])); s.Name == part.name && (s.Bytes < (kb-1)*1000 || s.Bytes > (kb+1)*1000) {
				t.Errorf("the %s have %d bytes, and the page says %d KB", s.Name, s.Bytes, kb)
			}
		}
	}
}

// TestTheActionReferenceInPromptsStaysShort: everything is switched on, and the size is scaled up
// to 100 types.
func TestTheActionReferenceInPromptsStaysShort(t *testing.T) {
	t.Parallel()
	i := newInspector(t, config.Env{})
	gate := i.Registry.Gate(actions.FlagsOf(i.Registry.Categories(), func(string) bool { return true }))
	static, types := reference.Blocks(gate, false), len(gate.Allowed())
	head, list, _ := strings.Cut(static, "LOOK UP\n")
	if whole := len(head) + len(list)*max(100, types)/types; whole > 6000 {
		t.Errorf("%d types take %d bytes and 100 would take %d", types, len(static), whole)
	}
}

// TestTheStandingPromptNamesOnlyWhatMayRun in every flow, with each category switched off in turn, as blocks and as functions, with all
// dialects. A type that is an English word as well counts where it is written like a type.
func TestTheStandingPromptNamesOnlyWhatMayRun(t *testing.T) {
	t.Parallel()
	i := scaffolded(t, "DISCOCLAW_ACTION_DIALECTS=all", "DISCOCLAW_NATIVE_TOOLS=on")
	all := i.Registry.Gate(actions.FlagsOf(i.Registry.Categories(), func(string) bool { return true })).Allowed()
	off := []string{""}
	for _, c := range i.Registry.Categories() {
		off = append(off, c.Name())
	}
	words := regexp.MustCompile(`[A-Za-z]+["(]?`)
	for _, flowName := range inspect.Flows() {
		for _, category := range off {
			flags := actions.FlagsOf(i.Registry.Categories(), func(name string) bool { return name != category })
			gate := i.Registry.Gate(flags, flow.Narrowings(actions.Origin{Flow: actions.Flow(flowName), Requester: "somebody"})...)
			p, err := inspect.SamplePrompt(i, t.Context(), gate, actions.Flow(flowName), "hello")
			if err != nil {
				t.Fatal(err)
			}
			req, err := p.First(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			plain := req.WithoutTools()
			for _, text := range []string{req.System[:req.Stable], plain.System[:plain.Stable]} {
				text, _, _ = strings.Cut(text, "Switched off here: ")
				named := words.FindAllString(text, -1)
				for _, a := range all {
					says := slices.ContainsFunc(named, func(word string) bool {
						name := strings.TrimRight(word, `"(`)
						return name == a.Name && (name != strings.ToLower(name) || name != word)
					})
					if says && gate.Verdict(a.Name).Decision != actions.Allowed {
						t.Errorf("%s without %s: the prompt has %s", flowName, category, a.Name)
					}
				}
			}
		}
	}
}

// TestPromptsHaveTheRulesOfTheirCategories, as blocks and as functions, wherever one of the category's actions may run.
func TestPromptsHaveTheRulesOfTheirCategories(t *testing.T) {
	t.Parallel()
	i := newInspector(t, config.Env{"DISCOCLAW_TASKS_PREFIX": "todo"})
	want := map[string]string{
		"tasks": "Task 3 is todo-003. Never write in a task's post; use its taskId.", "moderation": "only when the person whose message you answer asks for it", "voice": "you neither hear nor speak",
	}
	for _, off := range []string{"", "tasks", "moderation", "voice"} {
		flags := actions.FlagsOf(i.Registry.Categories(), func(name string) bool { return name != off })
		for _, flowName := range inspect.Flows() {
			gate := i.Registry.Gate(flags, flow.Narrowings(actions.Origin{Flow: actions.Flow(flowName), Requester: "somebody"})...)
			for _, text := range []string{reference.Blocks(gate, false), reference.Functions(gate)} {
				open := map[string]bool{}
				for c := range gate.Sections() {
					open[c.Name()] = true
				}
				for category, rule := range want {
					if strings.Contains(text, rule) != open[category] {
						t.Errorf("%s without %s: open is %t, and the rule of %s is not in keeping:\n%s", flowName, off, open[category], category, text)
					}
				}
			}
		}
	}
}
