package actions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
)

func TestZeroGateIsClosed(t *testing.T) {
	var g actions.Gate
	if v := g.Verdict("ping"); v.Decision != actions.Stripped {
		t.Errorf("verdict %v, want stripped", v)
	}
	if got := g.Allowed(); got != nil {
		t.Errorf("allows %v", got)
	}
	try, stripped := g.Split([]actions.Request{{Type: "ping"}})
	if try != nil || !slices.Equal(stripped, []string{"ping"}) {
		t.Errorf("Split = %v, %v", try, stripped)
	}
}

// broken is a category that is switched on but lacks the backend of all actions but one.
type broken struct {
	actionstest.Category
	why string
}

func (b broken) Unavailable(action string) (why, remedy string) {
	if b.why == "" || action == "doodle" {
		return "", ""
	}
	return b.why, "set ART_KEY"
}

func TestVerdicts(t *testing.T) {
	reg := actionstest.Registry(t,
		actionstest.Category{Called: "talk", List: []*actions.Action{actionstest.Define("say"), actionstest.Define("shout")}},
		actionstest.Category{Called: "ask", Switch: actions.Flag{Shares: "talk"}, List: []*actions.Action{actionstest.Define("question")}},
		actionstest.Category{Called: "work", List: []*actions.Action{actionstest.Define("start", func(s *actionstest.Spec) { s.TopLevel = true })}},
		actionstest.Category{Called: "off", List: []*actions.Action{actionstest.Define("vanish")}},
		broken{actionstest.Category{Called: "art", List: []*actions.Action{actionstest.Define("draw"), actionstest.Define("doodle")}}, "I have no key"},
		broken{actionstest.Category{Called: "music", List: []*actions.Action{actionstest.Define("sing")}}, ""},
	)
	flags := actions.FlagsOf(reg.Categories(), func(name string) bool { return name != "off" })
	flags["off"] = actions.Switch{Why: "the off actions are off", Remedy: "set OFF=1"}
	noTalk := func(category string, _ *actions.Action) (actions.Denial, string) {
		if category == "talk" {
			return actions.Strip, "silence"
		}
		return actions.Keep, ""
	}
	for _, tt := range []struct {
		name   string
		action string
		narrow []actions.Narrowing
		want   actions.Decision
		reason string
	}{
		{"on", "say", nil, actions.Allowed, ""},
		{"unknown", "nothing", nil, actions.Stripped, "there is no such action"},
		{"switched off", "vanish", nil, actions.Stripped, "the off actions are off; set OFF=1"},
		{"on, but nothing behind it", "draw", nil, actions.Refused, "I have no key; set ART_KEY"},
		{"on, and nothing behind another action", "doodle", nil, actions.Allowed, ""},
		{"on, and something behind it after all", "sing", nil, actions.Allowed, ""},
		{"forced off", "say", []actions.Narrowing{noTalk}, actions.Stripped, "silence"},
		{"forced off with the category it shares", "question", []actions.Narrowing{noTalk}, actions.Stripped, "silence"},
		{"not listed", "shout", []actions.Narrowing{actions.Only([]string{"say", "vanish"}, "not listed")}, actions.Stripped, "not listed"},
		{"listed", "say", []actions.Narrowing{actions.Only([]string{"say", "vanish"}, "not listed")}, actions.Allowed, ""},
		{"a list cannot switch on", "vanish", []actions.Narrowing{actions.Only([]string{"say", "vanish"}, "not listed")}, actions.Stripped, "the off actions are off; set OFF=1"},
		{"at the top", "start", []actions.Narrowing{actions.AtDepth(0)}, actions.Allowed, ""},
		{"inside a run", "start", []actions.Narrowing{actions.AtDepth(1)}, actions.Refused, "that cannot be started from inside another run"},
		{"strip wins over refuse", "start", []actions.Narrowing{actions.AtDepth(1), actions.Only(nil, "not listed")}, actions.Stripped, "not listed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := reg.Gate(flags, tt.narrow...).Verdict(tt.action)
			if v.Decision != tt.want || v.Reason() != tt.reason {
				t.Errorf("%s is %s: %s; want %s: %s", tt.action, v.Decision, v.Reason(), tt.want, tt.reason)
			}
		})
	}
}

// TestHelpMayRunWhereverAnotherActionMay, whatever its own category's switch and the narrowings say, and nowhere else.
func TestHelpMayRunWhereverAnotherActionMay(t *testing.T) {
	reg := actionstest.Registry(t,
		actionstest.Category{Called: "aids", List: []*actions.Action{actionstest.Define("help", func(s *actionstest.Spec) { s.Helps = true }), actionstest.Define("count")}},
		actionstest.Category{Called: "talk", List: []*actions.Action{actionstest.Define("say")}},
	)
	only := func(types ...string) actions.Narrowing { return actions.Only(types, "not listed") }
	for _, tt := range []struct {
		name string
		gate actions.Gate
		want string
	}{
		{"all is on", reg.Gate(actionstest.Open(reg)), "allowed"},
		{"its category is off", reg.Gate(actionstest.Open(reg, "talk")), "allowed"},
		{"it is not listed", reg.Gate(actionstest.Open(reg), only("say")), "allowed"},
		{"all is off", reg.Gate(nil), "stripped"},
		{"it alone is listed", reg.Gate(actionstest.Open(reg), only("help")), "stripped: there is nothing that it could explain here"},
		{"nothing is listed", reg.Gate(actionstest.Open(reg), only()), "stripped: not listed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := tt.gate.Verdict("help")
			if got := strings.TrimSuffix(v.Decision.String()+": "+v.Reason(), ": "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSplitKeepsOrderAndDuplicates(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	g := reg.Gate(actionstest.Open(reg, "messaging"))
	var reqs []actions.Request
	for _, name := range []string{"ban", "react", "zap", "react", "ban", ""} {
		reqs = append(reqs, actions.Request{Type: name})
	}
	try, stripped := g.Split(reqs)
	if diff := cmp.Diff([]actions.Request{{Type: "react"}, {Type: "react"}}, try); diff != "" {
		t.Errorf("tried (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ban", "zap", "ban", ""}, stripped); diff != "" {
		t.Errorf("stripped (-want +got):\n%s", diff)
	}
}

func TestRewritingObeysTheGate(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	old := actions.Request{Type: "planClose", Args: []byte(`{"type":"planClose","planId":"ws-014"}`)}
	for _, tt := range []struct {
		name string
		gate actions.Gate
		want string // the type that is tried, or empty
	}{
		{"plan is off, tasks is on", reg.Gate(actionstest.Open(reg, "tasks")), "taskClose"},
		{"both are on", reg.Gate(actionstest.Open(reg, "tasks", "plan")), "planClose"},
		{"both are off", reg.Gate(actionstest.Open(reg, "polls")), ""},
		{"the new type is not in the list", reg.Gate(actionstest.Open(reg, "tasks"), actions.Only([]string{"taskShow"}, "")), ""},
		{"the old type was taken out by a rule", reg.Gate(actionstest.Open(reg, "tasks", "plan"), actions.Only([]string{"taskClose"}, "")), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			try, stripped := tt.gate.Split([]actions.Request{old})
			got := ""
			if len(try) == 1 {
				got = try[0].Type
			}
			if got != tt.want || len(try)+len(stripped) != 1 || tt.gate.Accepts(old) != (tt.want != "") {
				t.Errorf("tries %v, strips %v, accepts %v; want %q", try, stripped, tt.gate.Accepts(old), tt.want)
			}
		})
	}
}

// drawRegistry makes up a registry, switches and narrowings.
func drawRegistry(t *rapid.T) (*actions.Registry, actions.CategoryFlags, []actions.Narrowing) {
	var cats []actions.Category
	var names []string
	for i := range rapid.IntRange(0, 5).Draw(t, "categories") {
		c := actionstest.Category{Called: fmt.Sprintf("c%d", i)}
		if i > 0 && rapid.Bool().Draw(t, "shares") {
			c.Switch.Shares = "c0"
		}
		for j := range rapid.IntRange(0, 4).Draw(t, "actions") {
			names = append(names, fmt.Sprintf("act%dx%d", i, j))
			c.List = append(c.List, actionstest.Define(names[len(names)-1], func(s *actionstest.Spec) {
				s.Helps = rapid.Bool().Draw(t, "helps")
				s.TopLevel = rapid.Bool().Draw(t, "top level")
				s.Destructive = rapid.Bool().Draw(t, "destructive")
				s.Effect = rapid.SampledFrom([]actions.Effect{actions.Mutates, actions.Queries}).Draw(t, "effect")
			}))
		}
		if rapid.Bool().Draw(t, "broken") {
			cats = append(cats, broken{c, rapid.SampledFrom([]string{"", "not set up"}).Draw(t, "why")})
		} else {
			cats = append(cats, c)
		}
	}
	reg, err := actions.NewRegistry(cats...)
	if err != nil {
		t.Fatal(err)
	}
	flags := actions.FlagsOf(cats, func(string) bool { return rapid.Bool().Draw(t, "on") })
	var narrow []actions.Narrowing
	for range rapid.IntRange(0, 4).Draw(t, "narrowings") {
		narrow = append(narrow, drawNarrowing(t, names))
	}
	return reg, flags, narrow
}

func drawNarrowing(t *rapid.T, names []string) actions.Narrowing {
	switch rapid.IntRange(0, 2).Draw(t, "kind of narrowing") {
	case 0:
		return actions.AtDepth(rapid.IntRange(0, 2).Draw(t, "depth"))
	case 1:
		if len(names) > 0 {
			return actions.Only(rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "only"), "not listed")
		}
	}
	denials := map[string]actions.Denial{}
	for _, name := range names {
		// Also undefined values: they must not mean "allow".
		denials[name] = actions.Denial(rapid.IntRange(0, 5).Draw(t, "denial"))
	}
	return func(_ string, a *actions.Action) (actions.Denial, string) { return denials[a.Name], "denied" }
}

func allowedNames(g actions.Gate) map[string]bool {
	names := map[string]bool{}
	for _, a := range g.Allowed() {
		names[a.Name] = true
	}
	return names
}

func TestNarrowingNeverEnlargesAGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reg, flags, narrow := drawRegistry(t)
		for n := range narrow {
			before, after := allowedNames(reg.Gate(flags, narrow[:n]...)), allowedNames(reg.Gate(flags, narrow[:n+1]...))
			for name := range after {
				if !before[name] {
					t.Fatalf("narrowing %d added %s", n, name)
				}
			}
		}
		for name := range allowedNames(reg.Gate(nil, narrow...)) {
			t.Fatalf("%s is allowed with every switch off", name)
		}
	})
}

func TestVerdictAllowedAndSplitAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reg, flags, narrow := drawRegistry(t)
		g := reg.Gate(flags, narrow...)
		allowed := allowedNames(g)
		for _, a := range reg.All() {
			v := g.Verdict(a.Name)
			if (v.Decision == actions.Allowed) != allowed[a.Name] {
				t.Fatalf("%s is %s, but allowed: %v", a.Name, v.Decision, allowed[a.Name])
			}
			if (v.Decision == actions.Allowed) != (v.Reason() == "") {
				t.Fatalf("%s is %s for the reason %q", a.Name, v.Decision, v.Reason())
			}
			if r := (actions.Request{Type: a.Name}); g.Accepts(r) != (v.Decision != actions.Stripped) {
				t.Fatalf("%s is %s, but accepted: %v", a.Name, v.Decision, g.Accepts(r))
			}
		}
	})
}
