// Package actionstest helps to test actions and the packages around them. It is for tests
// only.
//
// [Run] and [Explained] are for the tests of a category; [Category], [Define] and [Catalogue] stand
// in for categories where another package is tested.
package actionstest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
)

// A Category is made up by a test.
type Category struct {
	Called string
	Switch actions.Flag // unless set, a variable named after the category
	List   []*actions.Action
}

func (c Category) Name() string               { return c.Called }
func (c Category) Actions() []*actions.Action { return c.List }

func (c Category) Flag() actions.Flag {
	if c.Switch.Env == "" && c.Switch.Shares == "" && !c.Switch.Always {
		c.Switch.Env = "SWITCH_" + strings.ToUpper(c.Called)
	}
	return c.Switch
}

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
	if s.Destructive && s.Ask == nil {
		s.Ask = func(_ context.Context, _ actions.Call, in struct{}) (struct{}, string, error) {
			return in, "Do " + name + ".", nil
		}
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
	if err := reg.Check(); err != nil {
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

// Run sends requests the way a model's text takes, from the parser through the gate to the
// category, and returns the lines for the user. The requester has all rights.
func Run(t testing.TB, c actions.Category, payloads ...string) []string {
	t.Helper()
	return actions.Lines(run(t, c, payloads))
}

// Tell is Run that returns the lines for the model, which say what queries have found.
func Tell(t testing.TB, c actions.Category, payloads ...string) []string {
	t.Helper()
	return actions.AllLines(run(t, c, payloads))
}

func run(t testing.TB, c actions.Category, payloads []string) []actions.Outcome {
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
		t.Fatalf("of %v, %v are not in the list that Actions returns, and %v cannot be read", payloads, stripped, parsed.Malformed)
	}
	return actions.NewDispatcher(actions.DispatcherOptions{}, Vouch).Execute(t.Context(), actions.Origin{}, gate, try)
}

// Permit is a middleware that grants every permission, but no approval.
func Permit(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
		return next(ctx, call.PermittedIn(""), b)
	}
}

// Vouch is a middleware that grants every permission and every approval.
func Vouch(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
		return next(ctx, call.PermittedIn("").Approved(), b)
	}
}
