package app

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/store"
	"discoclaw/internal/test/golden"
)

// TestThePrivacyPageHasEveryTable: the rest of the page is written by hand.
func TestThePrivacyPageHasEveryTable(t *testing.T) {
	const page, begin, end = "../../docs/privacy.md", "from the code: change it there, then run make golden. -->\n", "<!-- End of what is generated. -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s does not say where the tables are", page)
	}
	db := settled(t, "OPENAI_API_KEY=k\n").core.db
	about, others := "", ""
	for _, table := range store.Tables {
		kept := table.Until
		if age, declared := db.Retention(table.Name); declared == (kept != "") {
			t.Errorf("%s needs either a retention or Until", table.Name)
		} else if declared {
			kept = spoken(age)
		}
		if table.Person == "" {
			others += fmt.Sprintf("| `%s` | %s | %s | %s |\n", table.Name, table.Holds, kept, table.Why)
			continue
		}
		erased := "deleted"
		if table.Erased != "" {
			erased = table.Erased
		}
		about += fmt.Sprintf("| `%s` | %s | %s | %s |\n", table.Name, table.Holds, kept, erased)
	}
	golden.Equal(t, page, before+begin+"\n| Table | What it has | Kept | When you erase |\n|---|---|---|---|\n"+about+
		"\nThese are neither exported nor erased by themselves:\n\n| Table | What it has | Kept | Why not |\n|---|---|---|---|\n"+others+"\n"+end+after)
}

// spoken returns a retention for people.
func spoken(age time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case age == day:
		return "a day"
	case age%day == 0:
		return fmt.Sprintf("%d days", age/day)
	}
	return fmt.Sprintf("%d hours", age/time.Hour)
}
