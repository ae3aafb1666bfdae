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

// taught are the types with a signature, and those that are only named.
func taught(prompt string) (names, rare []string) {
	for _, m := range signature.FindAllStringSubmatch(prompt, -1) {
		names = append(names, strings.Split(m[1], ", ")...)
	}
	if _, list, found := strings.Cut(prompt, "\nRARE\n"); found {
		list, _, _ = strings.Cut(list, "\n")
		rare = strings.Split(list, ", ")
	}
	return names, rare
}

func TestExactlyTheAllowedActionsAreAdvertised(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	var types []string
	for _, a := range reg.All() {
		a.Rare = len(types)%3 == 0
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
		advertised, rare := taught(reference.Blocks(gate, false))
		for _, name := range rare {
			if a, _ := gate.Action(name); !a.Rare {
				t.Fatalf("%s has no signature", name)
			}
		}
		advertised = append(advertised, rare...)
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
	Note   schema.Opt[string] `json:"note,omitzero" rare:"yes" doc:"Empty removes the note."`
}

func zoo(t testing.TB) *actions.Registry {
	return actionstest.Registry(t,
		animals{actionstest.Category{Called: "animals", Switch: actions.Flag{Env: "ANIMALS", Default: true}, List: []*actions.Action{
			actions.Define(actions.Spec[adopt]{
				Name:     "adopt",
				Summary:  "Adopt an animal.",
				Brief:    "a home must be known",
				Notes:    []string{"Ask for its name first."},
				Needs:    []chat.Permission{"Manage Animals", "Feed"},
				MayNeed:  []chat.Permission{"Travel"},
				PassesOn: true,
				Examples: []adopt{{Animal: "Rex <3", Home: place{Name: "here"}}},
				Do:       func(context.Context, actions.Call, adopt) (actions.Result, error) { return actions.Result{}, nil },
			}),
			actionstest.Define("animalList", func(s *actionstest.Spec) { s.Effect = actions.Queries; s.Summary = "List the animals." }),
			actionstest.Define("release", func(s *actionstest.Spec) { s.Destructive = true; s.Summary = "Let all animals go." }),
		}}},
		actionstest.Category{Called: "guests", Switch: actions.Flag{Shares: "animals"}, List: []*actions.Action{actionstest.Define("invite")}},
		actionstest.Category{Called: "night", Switch: actions.Flag{Env: "NIGHT", Needs: []actions.Requirement{{AnyOf: []string{"LAMP", "TORCH"}}}}, List: []*actions.Action{actionstest.Define("lamp")}},
		actionstest.Category{Called: "basics", Switch: actions.Flag{Always: true}, List: []*actions.Action{actionstest.Define("rest")}},
		seldom("brush", "weigh", "photograph", "insure"),
	)
}

// seldom is a category of rare actions.
func seldom(names ...string) actions.Category {
	c := actionstest.Category{Called: "seldom"}
	for _, name := range names {
		c.List = append(c.List, actionstest.Define(name, func(s *actionstest.Spec) { s.Rare = true }))
	}
	return c
}

func TestPrompt(t *testing.T) {
	reg := zoo(t)
	flags := actions.FlagsOf(reg.Categories(), func(name string) bool { return name != "night" })
	adopt, _ := reg.Lookup("adopt")
	golden.Equal(t, "testdata/prompt.golden", reference.Blocks(reg.Gate(flags), false)+"\n\n"+reference.Explain(adopt)+"\n")
}

func TestPage(t *testing.T) {
	golden.Equal(t, "testdata/page.golden", reference.Markdown(zoo(t)))
	d, err := app.NewDoctor(config.Env{}, app.Externals{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "../../../docs/actions.md", reference.Markdown(d.Registry))
}

func TestStaticPartIsTheSameEveryTime(t *testing.T) {
	want := ""
	for range 20 {
		reg := zoo(t)
		got := reference.Blocks(reg.Gate(actionstest.Open(reg)), false)
		if want != "" && got != want {
			t.Fatal("two renderings differ")
		}
		want = got
	}
}

func TestNothingAllowedIsNothingTaught(t *testing.T) {
	reg := zoo(t)
	if p := reference.Blocks(reg.Gate(nil), false); p != "" {
		t.Errorf("prompt %s", p)
	}
}

// TestNothingIsLeftOutWhereNothingCanBeLookedUp: a model that is asked once could not learn of it.
func TestNothingIsLeftOutWhereNothingCanBeLookedUp(t *testing.T) {
	reg := zoo(t)
	prompt := reference.Blocks(reg.Gate(actionstest.Open(reg)), true)
	if names, rare := taught(prompt); !slices.Contains(names, "weigh") || len(rare) > 0 {
		t.Errorf("signatures of %v, bare names %v", names, rare)
	}
	if strings.Contains(prompt, "…") || strings.Contains(prompt, "actionHelp") || !strings.Contains(prompt, "weight?, note?)") {
		t.Errorf("it has less than all:\n%s", prompt)
	}
}

// BenchmarkPrompt renders what a turn needs of it, with as many actions as are
// planned.
func BenchmarkPrompt(b *testing.B) {
	reg := actionstest.Registry(b, actionstest.Catalogue(nil)...)
	flags := actionstest.Open(reg)
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
			reference.Blocks(gate, false)
		}
		b.ReportMetric(float64(len(reference.Blocks(gate, false))), "static-bytes")
	})
}

func ExampleExplain() {
	fmt.Println(reference.Explain(actionstest.Define("ping")))
	// Output:
	// ping: Stand in for ping.
	// <discord-action>{"type":"ping"}</discord-action>
}

// TestAFewRareActionsHaveSignatures: a job that may run nothing else needs no look-up in each of its runs.
func TestAFewRareActionsHaveSignatures(t *testing.T) {
	reg := actionstest.Registry(t, seldom("a", "b", "c", "d"))
	for want, list := range map[string][]string{"[a b c] []": {"a", "b", "c"}, "[] [a b c d]": {"a", "b", "c", "d"}} {
		names, rare := taught(reference.Blocks(reg.Gate(actionstest.Open(reg), actions.Only(list, "")), false))
		if got := fmt.Sprint(names, rare); got != want {
			t.Errorf("signatures and bare names: %s, want %s", got, want)
		}
	}
}
