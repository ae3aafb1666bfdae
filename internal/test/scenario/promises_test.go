package scenario

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`)

// TestPromisesAreShown: a promise names the scenes and tests that show it, and they exist. A
// test is named by its function.
func TestPromisesAreShown(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	promises := regexp.MustCompile(`(?m)^\d+\. `).Split(string(readme), -1)[1:]
	if len(promises) == 0 {
		t.Error("there are no promises")
	}
	for _, promise := range promises {
		shown := link.FindAllStringSubmatch(promise, -1)
		if len(shown) == 0 {
			t.Errorf("nothing shows that %s", promise)
		}
		for _, m := range shown {
			source, err := os.ReadFile(m[2])
			if err != nil {
				t.Error(err)
			}
			if strings.HasPrefix(m[1], "Test") && !strings.Contains(string(source), "\nfunc "+m[1]+"(") {
				t.Errorf("there is no %s in %s", m[1], m[2])
			}
		}
	}
}
