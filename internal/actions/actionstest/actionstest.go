// Package actionstest has categories for tests of what stands around actions. It
// is for tests only.
package actionstest

import (
	"context"
	"slices"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
)

// A Category is made up by a test.
type Category struct {
	Called string
	Switch actions.Flag
	List   []*actions.Action
}

func (c Category) Name() string               { return c.Called }
func (c Category) Flag() actions.Flag         { return c.Switch }
func (c Category) Actions() []*actions.Action { return c.List }

// A Spec is one without fields.
type Spec = actions.Spec[struct{}]

// Define makes an action without fields that succeeds and says its name. The
// changes are applied to its Spec.
func Define(name string, changes ...func(*Spec)) *actions.Action {
	s := Spec{
		Name:     name,
		Summary:  "Stand in for " + name + ".",
		Examples: []struct{}{{}},
		Do: func(context.Context, actions.Call, struct{}) (actions.Result, error) {
			return actions.Result{Summary: name}, nil
		},
	}
	for _, change := range changes {
		change(&s)
	}
	return actions.Define(s)
}

// Registry fails the test if the categories do not fit together.
func Registry(t testing.TB, cats ...actions.Category) *actions.Registry {
	t.Helper()
	reg, err := actions.NewRegistry(cats...)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// Open switches the named categories on; without names, all of them.
func Open(reg *actions.Registry, names ...string) actions.CategoryFlags {
	return actions.FlagsOf(reg.Categories(), func(category string) bool {
		return len(names) == 0 || slices.Contains(names, category)
	})
}

// Run sends requests the way a model's text takes, from the parser through the
// gate to the category, and returns the lines that the user would see.
func Run(t testing.TB, c actions.Category, payloads ...string) []string {
	t.Helper()
	text := ""
	for _, payload := range payloads {
		text += actions.BlockOpen + payload + actions.BlockClose
	}
	reg := Registry(t, c)
	gate := reg.Gate(Open(reg))
	parsed := dialect.New(gate.Accepts, dialect.Blocks()).Parse(text)
	try, stripped := gate.Split(parsed.Requests)
	if len(try) != len(payloads) {
		t.Fatalf("not all of %v are requests of this category: stripped %v, malformed %v", payloads, stripped, parsed.Malformed)
	}
	return actions.Lines(actions.NewDispatcher().Execute(t.Context(), actions.Origin{}, gate, try))
}
