package scenario

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// outsideText is in the world or the script of every scene in which outside text can be read: somebody who is not served, a
// file, an embed, a forwarded message, a topic, what an event is about, the call of a webhook, a title by another person, a page that a search finds, the text of a plan, or what a tool of the model has read.
var outsideText = regexp.MustCompile(`(?m)^stranger |^member .*: bot$|^\w+ in \S+ with |^\w+ forwards |"topic":|"location":|^webhook |^\w+ renames "|^web: |"planShow"|\{done \w+ `)

// TestOnlyOutsideTextNeedsThisApproval: scenes show all that members see, so none without such text may have such a card.
func TestOnlyOutsideTextNeedsThisApproval(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	asked, plain := 0, 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(txtar.Format(archive))
		card, outside := regexp.MustCompile(`(?m)^  -# Just checking that you want this: I have also read .*`).MatchString(text), outsideText.MatchString(text)
		switch {
		case card && !outside:
			t.Errorf("%s has a card because of outside text, and no outside text", file)
		case card:
			asked++
		case !outside:
			plain++
		}
	}
	if asked == 0 {
		t.Error("no scene has such a card")
	}
	t.Logf("of %d scenes %d have such a card; %d have no outside text, and no card", len(files), asked, plain)
}
