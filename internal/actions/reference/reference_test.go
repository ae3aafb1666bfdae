package reference_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/reference"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/test/golden"
)

var signature = regexp.MustCompile(`(?m)^([a-z][A-Za-z0-9]*(?:, [a-z][A-Za-z0-9]*)*)\(`)

// taught are the types in the static part.
func taught(p reference.Prompt) (names []string) {
	for _, m := range signature.FindAllStringSubmatch(p.Static, -1) {
		names = append(names, strings.Split(m[1], ", ")...)
	}
	return names
}

func TestExactlyTheAllowedActionsAreAdvertised(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	var types []string
	for _, a := range reg.All() {
		types = append(types, a.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
		var narrow []actions.Narrowing
		if rapid.Bool().Draw(t, "with a list") {
			narrow = append(narrow, actions.Only(rapid.SliceOf(rapid.SampledFrom(types)).Draw(t, "list"), "not listed"))
		}
		flags := actions.FlagsOf(reg.Categories(), func(string) bool { return rapid.Bool().Draw(t, "on") })
		gate := reg.Gate(flags, append(narrow, actions.AtDepth(rapid.IntRange(0, 1).Draw(t, "depth")))...)
		var allowed []string
		for _, a := range gate.Allowed() {
			allowed = append(allowed, a.Name)
		}
		hint := actions.Hint{Text: rapid.SampledFrom([]string{"", "model", "anything"}).Draw(t, "text")}
		advertised := taught(reference.NewPrompt(gate, hint))
		slices.Sort(allowed)
		slices.Sort(advertised)
		if diff := cmp.Diff(allowed, advertised); diff != "" {
			t.Fatalf("allowed and taught differ (-allowed +taught):\n%s", diff)
		}
	})
}

// animals is a category with fields of every kind.
type animals struct{ actionstest.Category }

func (animals) ForReference() string { return "Be kind to animals." }

type place struct {
	Name string `json:"name" doc:"What it is called."`
	Kind string `json:"kind,omitempty" doc:"What it is like." enum:"farm,zoo"`
}

type adopt struct {
	Animal string             `json:"animal" doc:"Its name, | and all." max:"32"`
	Age    int                `json:"age,omitempty" doc:"In years." min:"0" max:"30" default:"1"`
	Tricks []string           `json:"tricks,omitempty" doc:"What it can do." enum:"sit,roll" max:"2"`
	Home   place              `json:"home" doc:"Where it lives."`
	Past   []place            `json:"past,omitempty" doc:"Where it lived."`
	Weight float64            `json:"weight,omitempty" doc:"In kilograms." example:"4.5"`
	Note   schema.Opt[string] `json:"note,omitzero" doc:"Empty removes the note."`
}

func zoo(t testing.TB) *actions.Registry {
	return actionstest.Registry(t,
		animals{actionstest.Category{Called: "animals", Switch: actions.Flag{Env: "ANIMALS", Default: true}, List: []*actions.Action{
			actions.Define(actions.Spec[adopt]{
				Name:        "adopt",
				Summary:     "Adopt an animal.",
				Brief:       "a home must be known",
				Notes:       []string{"Ask for its name first."},
				ExplainWhen: []string{"adopt", "animal"},
				Needs:       []chat.Permission{"Manage Animals", "Feed"},
				MayNeed:     []chat.Permission{"Travel"},
				PassesOn:    true,
				Examples:    []adopt{{Animal: "Rex <3", Home: place{Name: "here"}}},
				Do:          func(context.Context, actions.Call, adopt) (actions.Result, error) { return actions.Result{}, nil },
			}),
			actionstest.Define("animalList", func(s *actionstest.Spec) { s.Effect = actions.Queries; s.Summary = "List the animals." }),
			actionstest.Define("release", func(s *actionstest.Spec) { s.Destructive = true; s.Summary = "Let all animals go." }),
		}}},
		actionstest.Category{Called: "guests", Switch: actions.Flag{Shares: "animals"}, List: []*actions.Action{actionstest.Define("invite")}},
		actionstest.Category{Called: "night", Switch: actions.Flag{Env: "NIGHT", Needs: []actions.Requirement{{AnyOf: []string{"LAMP", "TORCH"}}}}, List: []*actions.Action{actionstest.Define("lamp")}},
		actionstest.Category{Called: "basics", Switch: actions.Flag{Always: true}, List: []*actions.Action{actionstest.Define("rest")}},
	)
}

func TestPrompt(t *testing.T) {
	reg := zoo(t)
	flags := actions.FlagsOf(reg.Categories(), func(name string) bool { return name != "night" })
	p := reference.NewPrompt(reg.Gate(flags), actions.Hint{Text: "any ANIMALS?"})
	golden.Equal(t, "testdata/prompt.golden", p.Static+"\n\n"+p.Details+"\n")
}

func TestPage(t *testing.T) {
	golden.Equal(t, "testdata/page.golden", reference.Markdown(zoo(t)))
	d, err := app.NewDoctor(config.Env{}, app.Externals{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "../../../docs/actions.md", reference.Markdown(d.Registry))
}

func TestHintChoosesDetailsOnly(t *testing.T) {
	reg := zoo(t)
	gate := reg.Gate(actionstest.Open(reg))
	about := reference.NewPrompt(gate, actions.Hint{Text: "which ANIMALS are here?"})
	other := reference.NewPrompt(gate, actions.Hint{Text: "what time is it?"})
	if about.Static != other.Static {
		t.Error("the static part depends on what was said")
	}
	if !strings.Contains(about.Details, "\nadopt: ") || other.Details != "" {
		t.Errorf("explained where it is mentioned: %q; elsewhere: %q", about.Details, other.Details)
	}
}

func TestStaticPartIsTheSameEveryTime(t *testing.T) {
	want := ""
	for range 20 {
		reg := zoo(t)
		got := reference.NewPrompt(reg.Gate(actionstest.Open(reg)), actions.Hint{})
		if want != "" && got.Static != want {
			t.Fatal("two renderings differ")
		}
		want = got.Static
	}
}

func TestNothingAllowedIsNothingTaught(t *testing.T) {
	reg := zoo(t)
	if p := reference.NewPrompt(reg.Gate(nil), actions.Hint{Text: "animals"}); p != (reference.Prompt{}) {
		t.Errorf("prompt %+v", p)
	}
}

// BenchmarkPrompt renders what a turn needs of it, with as many actions as are
// planned.
func BenchmarkPrompt(b *testing.B) {
	reg := actionstest.Registry(b, actionstest.Catalogue(nil)...)
	flags := actionstest.Open(reg)
	hint := actions.Hint{Text: "remind me of the tasks tomorrow"}
	b.Run("gate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			reg.Gate(flags, actions.AtDepth(0))
		}
	})
	b.Run("render", func(b *testing.B) {
		gate := reg.Gate(flags)
		b.ReportAllocs()
		for b.Loop() {
			reference.NewPrompt(gate, hint)
		}
		p := reference.NewPrompt(gate, hint)
		b.ReportMetric(float64(len(p.Static)), "static-bytes")
		b.ReportMetric(float64(len(p.Details)), "detail-bytes")
	})
}

func ExampleExplain() {
	fmt.Println(reference.Explain(actionstest.Define("ping")))
	// Output:
	// ping: Stand in for ping.
	// <discord-action>{"type":"ping"}</discord-action>
}

// TestManyRareActionsAreToldBySignature: nothing else tells of them, and there is no room to explain them all.
func TestManyRareActionsAreToldBySignature(t *testing.T) {
	rare := func(s *actionstest.Spec) { s.Rare, s.ExplainWhen = true, []string{"plan"} }
	often := func(s *actionstest.Spec) { s.ExplainWhen = []string{"plan"} }
	for n, want := range map[int]string{
		0: "How to use what may be needed here:\n\nlast: Stand in for last.\n<discord-action>{\"type\":\"last\"}</discord-action>",
		1: "How to use what may be needed here:\n\na: Stand in for a.\n<discord-action>{\"type\":\"a\"}</discord-action>\n\nlast: Stand in for last.\n<discord-action>{\"type\":\"last\"}</discord-action>",
		3: "How to use what may be needed here:\n\na, b, c()\n\nlast: Stand in for last.\n<discord-action>{\"type\":\"last\"}</discord-action>",
	} {
		c := actionstest.Category{Called: "plan"}
		for _, name := range []string{"a", "b", "c"}[:n] {
			c.List = append(c.List, actionstest.Define(name, rare))
		}
		c.List = append(c.List, actionstest.Define("last", often))
		reg := actionstest.Registry(t, c)
		if diff := cmp.Diff(want, reference.NewPrompt(reg.Gate(actionstest.Open(reg)), actions.Hint{Text: "the plans"}).Details); diff != "" {
			t.Errorf("%d rare ones (-want +got):\n%s", n, diff)
		}
	}
}

// TestMembersAreNotTaughtWhatOnlyOperatorsMayDo: a word such as "plan" would have the model try it for them.
func TestMembersAreNotTaughtWhatOnlyOperatorsMayDo(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Category{Called: "plan", List: []*actions.Action{actionstest.Define("other"), actionstest.Define("planList", func(s *actionstest.Spec) {
		s.Rare, s.ExplainWhen, s.Needs = true, []string{"plan"}, []chat.Permission{chat.Operator}
	})}})
	for operates, want := range map[bool]bool{true: true, false: false} {
		hint := actions.Hint{Text: "was there a plan?", Operates: func() bool { return operates }}
		if got := reference.NewPrompt(reg.Gate(actionstest.Open(reg)), hint).Details != ""; got != want {
			t.Errorf("told to one who operates (%v): %v", operates, got)
		}
	}
}

// TestRareFieldsAreNamedWhenTheyAreMentioned: signatures hide them, and models guessed what they are called.
func TestRareFieldsAreNamedWhenTheyAreMentioned(t *testing.T) {
	type input struct {
		Name    string `json:"name" doc:"Its name."`
		Mention bool   `json:"mentionable,omitempty" rare:"mention" doc:"Whether anybody may mention it."`
	}
	paint := actions.Define(actions.Spec[input]{Name: "paint", Summary: "Paint it.", Examples: []input{{Name: "x"}}, Do: func(context.Context, actions.Call, input) (actions.Result, error) {
		return actions.Result{}, nil
	}})
	reg := actionstest.Registry(t, actionstest.Category{Called: "art", List: []*actions.Action{paint, actionstest.Define("other")}})
	for text, want := range map[string]string{
		"let all mention it": "How to use what may be needed here:\n\npaint(…, mentionable?)",
		"paint it":           "",
	} {
		if got := reference.NewPrompt(reg.Gate(actionstest.Open(reg)), actions.Hint{Text: text}).Details; got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
