package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
)

// toCome are the actions that dialects know and the bot does not have yet.
var toCome []string

// dialectTable reads a file of the dialects.
func dialectTable[T any](t *testing.T, name string) (table T) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../actions/dialect/testdata", name))
	if err == nil {
		err = json.Unmarshal(raw, &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// isBuilt reports whether there is an action, and complains unless it is one of those to come.
func isBuilt(t *testing.T, reg *actions.Registry, typ string) bool {
	t.Helper()
	_, there := reg.Lookup(typ)
	if coming := slices.Contains(toCome, typ); there == coming {
		t.Errorf("that the action %s is there is %v, and that it is still to come %v", typ, there, coming)
	}
	return there
}

func TestActionsAnswerToTheirAliases(t *testing.T) {
	t.Parallel()
	reg := mustCore(t, nil).registry
	for typ, names := range dialectTable[map[string][]string](t, "aliases.json") {
		if !isBuilt(t, reg, typ) {
			continue
		}
		for _, name := range names {
			if got, _ := reg.Named(name); got != typ {
				t.Errorf("%s means %q, want %s", name, got, typ)
			}
		}
	}
	if _, err := (dialect.Options{Setting: "all", Named: reg.Named}).List(); err != nil {
		t.Error(err)
	}
}

// TestCommandsAreActions: every name of the closed table is an action that needs no more than where it is.
func TestCommandsAreActions(t *testing.T) {
	t.Parallel()
	reg := mustCore(t, nil).registry
	gate := reg.Gate(actionstest.Open(reg))
	list, err := dialect.Options{Named: reg.Named}.List()
	if err != nil {
		t.Fatal(err)
	}
	here := chat.Place{Guild: "900100200300400499", Channel: "900100200300400500", Message: "900100200300400501"}
	for typ, names := range dialectTable[map[string][]string](t, "commands.json") {
		if !isBuilt(t, reg, typ) {
			continue
		}
		for _, name := range names {
			reqs := dialect.Bind(gate, here, list.Parser(gate).Parse("[COMMAND:"+name+"]").Requests)
			if len(reqs) != 1 || reqs[0].Type != typ {
				t.Errorf("%s asks for %+v", name, reqs)
				continue
			}
			a, _ := gate.Action(typ)
			if b, err := a.Bind(reqs[0].Args); err != nil || len(b.Ignored) > 0 {
				t.Errorf("%s asks for %s: %v, and the fields %v do nothing", name, reqs[0].Args, err, b.Ignored)
			}
		}
	}
}

// TestFormsOfDialectsAreActions: what they compile to are actions with these fields.
func TestFormsOfDialectsAreActions(t *testing.T) {
	t.Parallel()
	reg := mustCore(t, nil).registry
	type vector struct{ Actions []json.RawMessage }
	for _, v := range dialectTable[struct{ Cases []vector }](t, "dialect-vectors.json").Cases {
		for _, request := range v.Actions {
			var head struct{ Type string }
			if err := json.Unmarshal(request, &head); err != nil {
				t.Fatal(err)
			}
			if !isBuilt(t, reg, head.Type) {
				continue
			}
			a, _ := reg.Lookup(head.Type)
			if b, _ := a.Bind(request); len(b.Ignored) > 0 { // IDs may be missing, which are added later
				t.Errorf("%s has fields that do nothing: %v", request, b.Ignored)
			}
		}
	}
}
