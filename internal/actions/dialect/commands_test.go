package dialect

import (
	"encoding/json"
	"maps"
	"os"
	"testing"

	"discoclaw/internal/actions"
)

// TestTheTableOfCommands: it is closed, so nothing else may get into it.
func TestTheTableOfCommands(t *testing.T) {
	raw, err := os.ReadFile("testdata/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed map[string][]string
	if err := json.Unmarshal(raw, &listed); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for typ, names := range listed {
		for _, name := range names {
			want[actions.FoldName(name)] = typ
		}
	}
	if !maps.Equal(commands, want) {
		t.Errorf("the commands are %v, want %v", commands, want)
	}
}
