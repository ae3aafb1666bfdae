package play_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/config"
	"discoclaw/internal/play"
	"discoclaw/internal/play/standin"
)

// An idea is one that the page offers.
type idea struct{ Text, As, Where string }

func (v *visit) ideas() []idea {
	v.Helper()
	var all struct{ Ideas []idea }
	v.ask("GET", "/api/ideas", "", &all)
	return all.Ideas
}

// key is the idea without where it fits.
func (i idea) key() idea { return idea{Text: i.Text, As: i.As} }

// limits are the answers to ideas that show what the bot does not do.
var limits = map[idea]string{
	{Text: "ban sam"}:                   "oderation is switched off here",
	{Text: "say hi in #ops", As: "sam"}: "Failed: you need *Send Messages* in #ops",
	{Text: "hello?", As: "zed"}:         "The bot does not know zed",
}

// lame are parts of answers to a request that led to nothing.
var lame = []string{"Failed: ", "didn't get that", "didn't work", "There is no", "There are no", "Nothing", "nothing in this channel", "Usage:", "would not let you"}

func TestEverySuggestionWorksInANewWorld(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{})
	all := v.ideas()
	v.leave()
	if len(all) < 20 {
		t.Errorf("there are only %q", all)
	}
	// They also work one after the other.
	var lines []string
	for _, i := range all {
		if i.As == "" && i.Where == standin.Server && limits[i.key()] == "" && i.Text != aboutThePlan {
			lines = append(lines, i.Text)
		}
	}
	checkAnswer(t, "all of them", plays(t, config.Env{}, lines...), "")
	for _, i := range all {
		if i.Where != standin.Server || slices.Contains(aboutWhatIsThere, i.Text) || i.Text == aboutThePlan {
			continue
		}
		t.Run(i.Text, func(t *testing.T) {
			t.Parallel()
			lines := []string{i.Text}
			if i.As != "" {
				lines = []string{"/as " + i.As, i.Text}
			}
			checkAnswer(t, i.Text, plays(t, config.Env{}, lines...), limits[i.key()])
		})
	}
}

// aboutThePlan needs the club's plan; see TestANewWorldIsLivedIn.
const aboutThePlan = "show me plan 1"

// aboutWhatIsThere are questions whose answer in a new world is that there is nothing yet.
var aboutWhatIsThere = []string{"what's still open?", "what did I miss?", "what is scheduled?"}

func checkAnswer(t *testing.T, what, got, limit string) {
	t.Helper()
	if limit != "" {
		if !strings.Contains(got, limit) {
			t.Errorf("%q is not answered with %q:\n%s", what, limit, got)
		}
		return
	}
	if !strings.Contains(got, "DiscoClaw") {
		t.Errorf("%q has no answer:\n%s", what, got)
	}
	for _, part := range lame {
		if strings.Contains(got, part) {
			t.Errorf("%q leads to %q:\n%s", what, part, got)
		}
	}
}

// TestIdeasAreOnesOfTheWorld: a world of one's own may have other members and channels.
func TestIdeasAreOnesOfTheWorld(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "world.json")
	if _, err := playsOn(t, file, "rename #ops to machines", "rename #help to questions"); err != nil {
		t.Fatal(err)
	}
	put(t, file, strings.ReplaceAll(content(t, file), `"name": "sam"`, `"name": "kim"`))
	v := visiting(t, play.Options{World: file})
	defer v.leave()
	all := v.ideas()
	if len(all) < 15 {
		t.Errorf("there are only %q", all)
	}
	for _, i := range all {
		for _, missing := range []string{"#ops", "help", "sam"} {
			if strings.Contains(i.Text, missing) && i.Text != "give sam the role helpers" || i.As == missing {
				t.Errorf("there is no %s, but %+v is offered", missing, i)
			}
		}
	}
}

func TestAPlaygroundOpensWithoutSlashCommands(t *testing.T) {
	t.Parallel()
	if got := plays(t, config.Env{"DISCOCLAW_SLASH_COMMANDS": "0"}, "hello"); !strings.Contains(got, "DiscoClaw: Hello!") {
		t.Errorf("no answer in\n%s", got)
	}
}
