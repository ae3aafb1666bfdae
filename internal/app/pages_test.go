package app

import (
	"os"
	"strings"
	"testing"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/config"
)

// TestPagesNameWhatThereIs: pages that are written by hand leave out no command, runtime or dialect.
func TestPagesNameWhatThereIs(t *testing.T) {
	var commands, runtimes []string
	for _, c := range settled(t, "OPENAI_API_KEY=k\n").commands().Menu().Entries {
		if c.Name != "ask" { // only in the menu
			commands = append(commands, "!"+c.Name)
		}
	}
	for _, v := range config.Variables() {
		if v.Name == "PRIMARY_RUNTIME" {
			runtimes = v.Enum
		}
	}
	for page, names := range map[string][]string{"commands.md": commands, "models.md": runtimes, "dialects.md": dialect.Names} {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s, %d names: %v", page, len(names), err)
		}
		for _, name := range names {
			if !strings.Contains(string(text), "`"+name) {
				t.Errorf("docs/%s does not name %s", page, name)
			}
		}
	}
}
