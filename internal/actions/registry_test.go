package actions_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
)

func TestRegistryRefusesFlawedDefinitions(t *testing.T) {
	type undocumented struct {
		A string `json:"a"`
	}
	type checked struct {
		N int `json:"n" doc:"Number." max:"3"`
	}
	one := func(acts ...*actions.Action) []actions.Category {
		return []actions.Category{actionstest.Category{Called: "c", List: acts}}
	}
	for _, tt := range []struct {
		name string
		cats []actions.Category
		want string
	}{
		{"a name twice", one(actionstest.Define("ping"), actionstest.Define("ping")), "two actions answer to ping, or one does twice: ping of c and ping of c"},
		{"an alias that is a name", one(actionstest.Define("ping"), actionstest.Define("pong", func(s *actionstest.Spec) { s.Aliases = []string{"PING"} })), "answer to PING, or one does twice: ping of c and pong of c"},
		{"names that dialects cannot tell apart", one(actionstest.Define("pinGo"), actionstest.Define("ping", func(s *actionstest.Spec) { s.Aliases = []string{"PIN_GO"} })), "answer to PIN_GO, or one does twice: pinGo of c and ping of c"},
		{"an alias of itself", one(actionstest.Define("ping", func(s *actionstest.Spec) { s.Aliases = []string{"P_ING"} })), "answer to P_ING, or one does twice: ping of c and ping of c"},
		{"not defined at all", one(&actions.Action{Name: "ping"}), "action ping was not made by Define"},
		{"no example", one(actionstest.Define("ping", func(s *actionstest.Spec) { s.Examples = nil })), "Examples is empty"},
		{"nothing to do", one(actionstest.Define("ping", func(s *actionstest.Spec) { s.Do = nil })), "Do is missing"},
		{"a field without documentation", one(actions.Define(sample[undocumented]())), "action ping: undocumented.A: doc must be a sentence"},
		{"an example that does not fit", one(actions.Define(sample(checked{N: 4}))), "action ping: example 1: n: 4 is not at most 3"},
		{"a sentence with an unknown field", one(says("Ping {m}")), "action ping: Sentence: there is no field m"},
		{"a sentence with a field that may be missing", one(says("Ping {n}")), "action ping: Sentence: n may be missing, so it belongs into brackets"},
		{"a sentence with an unknown form", one(says("Ping[ {n:week}]")), "action ping: Sentence: there is no form week"},
		{"a sentence with phrases that lack the value", one(says("Ping[ {n?often|never}]")), "action ping: Sentence: n needs phrases if it is a boolean"},
		{"a sentence that cannot be read", one(says("Ping {n")), `action ping: Sentence: "Ping {n" cannot be read`},
		{"two categories on one switch", []actions.Category{actionstest.Category{Called: "c", Switch: actions.Flag{Env: "X"}}, actionstest.Category{Called: "d", Switch: actions.Flag{Env: "X"}}}, "category d: its switch X is also that of c"},
		{"a category on the master switch", []actions.Category{actionstest.Category{Called: "c", Switch: actions.Flag{Env: actions.MasterSwitch}}}, "is also that of the master switch"},
		{"two categories of one name", []actions.Category{actionstest.Category{Called: "c"}, actionstest.Category{Called: "c"}}, "two categories are called c"},
		{"a shared switch that is not there", []actions.Category{actionstest.Category{Called: "c", Switch: actions.Flag{Shares: "d"}}}, "category c shares the switch of d, which has none of its own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry, err := actions.NewRegistry(tt.cats...)
			if err == nil {
				err = registry.Check()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// sample is an action that does nothing.
func sample[T any](examples ...T) actions.Spec[T] {
	return actions.Spec[T]{
		Name: "ping", Summary: "Ping.", Examples: append(examples, *new(T)),
		Do: func(context.Context, actions.Call, T) (r actions.Result, err error) { return r, err },
	}
}

// says is an action with a sentence.
func says(sentence string) *actions.Action {
	s := sample[struct {
		N int `json:"n,omitempty" doc:"Number."`
	}]()
	s.Sentence = sentence
	return actions.Define(s)
}

func TestRegistryReportsAllFlawsAtOnce(t *testing.T) {
	_, err := actions.NewRegistry(actionstest.Category{Called: "c", List: []*actions.Action{
		actionstest.Define("one", func(s *actionstest.Spec) { s.Do = nil }),
		actionstest.Define("two", func(s *actionstest.Spec) { s.Examples = nil }),
	}})
	if err == nil || !strings.Contains(err.Error(), "action one") || !strings.Contains(err.Error(), "action two") {
		t.Errorf("error %v should name both actions", err)
	}
}

func TestNoTwoActionsShareAName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"a", "b", "aB", "bA", "abc"})
		alias := rapid.SampledFrom([]string{"A", "B", "A_B", "b-a", "A B C", "D"})
		var list []*actions.Action
		claimed := map[string]int{} // by folded name
		for range rapid.IntRange(1, 4).Draw(t, "actions") {
			a := actionstest.Define(name.Draw(t, "name"), func(s *actionstest.Spec) {
				s.Aliases = rapid.SliceOfN(alias, 0, 2).Draw(t, "aliases")
			})
			for _, n := range append([]string{a.Name}, a.Aliases...) {
				claimed[strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(n))]++
			}
			list = append(list, a)
		}
		shared := false
		for _, n := range claimed {
			shared = shared || n > 1
		}
		if _, err := actions.NewRegistry(actionstest.Category{Called: "c", List: list}); (err != nil) != shared {
			t.Fatalf("names %v: error %v", claimed, err)
		}
	})
}

func TestLookupIsExact(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		actionstest.Define("ping", func(s *actionstest.Spec) { s.Aliases = []string{"PONG"} }),
	}})
	for name, want := range map[string]bool{"ping": true, "Ping": false, " ping": false, "PONG": false, "": false} {
		if _, ok := reg.Lookup(name); ok != want {
			t.Errorf("Lookup(%q) found it: %v, want %v", name, ok, want)
		}
	}
	for name, want := range map[string]bool{"ping": true, "PING": true, "p-i_n g": true, "pong": true, "Po_ng": true, "pin": false, "pingpong": false, "": false} {
		if exact, ok := reg.Named(name); ok != want || ok && exact != "ping" {
			t.Errorf("%q means %q: %v, want %v", name, exact, ok, want)
		}
	}
}
