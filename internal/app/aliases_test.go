package app

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"discoclaw/internal/actions/dialect"
)

// TestActionsAnswerToTheirAliases: the list is that of the dialects, and some of its actions are still to come.
func TestActionsAnswerToTheirAliases(t *testing.T) {
	t.Parallel()
	toCome := []string{"conversationSummary", "voiceNote"}
	raw, err := os.ReadFile("../actions/dialect/testdata/aliases.json")
	if err != nil {
		t.Fatal(err)
	}
	var aliases map[string][]string
	if err := json.Unmarshal(raw, &aliases); err != nil {
		t.Fatal(err)
	}
	reg := mustCore(t, nil).registry
	for typ, names := range aliases {
		if _, there := reg.Lookup(typ); !there {
			if !slices.Contains(toCome, typ) {
				t.Errorf("there is no action %s", typ)
			}
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
