package foreign

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/test/golden"
)

// enoughSteps is how many each client has to do.
const enoughSteps = 120

// grounds is the world in which clients of others are tried.
const grounds = `
guild disco: #general #ops news:announcement ideas:forum talk:voice stage:stage #hidden #doomed
category Projects: #plans
tag bug in ideas
tag done in ideas: ✅
role mods: Manage Messages, Kick Members
role artists
member ada: owner
member bob
member eve: mods
member zoe
bot DiscoClaw: Administrator
thread "old news" in #general: archived
deny #ops bob: View Channel
guild lair: #den
member ada: owner
`

// A result is how a step went. Trouble is empty for what went as on Discord.
type result struct{ Step, Trouble string }

// A course is the world that a client of others takes its steps in.
type course struct {
	*fakediscord.World
	*testing.T

	mu      sync.Mutex
	results []result
	misfits []string // answers since the last step that do not fit Discord's description of its API, or say that something is not built
}

// newCourse serves the world on a listener, until the test ends.
func newCourse(t *testing.T, on net.Listener, url string) *course {
	t.Helper()
	w, err := fakediscord.New(grounds)
	if err != nil {
		t.Fatal(err)
	}
	w.SetURL(url)
	server := &http.Server{Handler: w.Handler()}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(on) // ends with Close below
	}()
	t.Cleanup(func() {
		w.Close()
		_ = server.Close() // nothing more is asked
		<-served
	})
	c := &course{World: w, T: t}
	doc, why := discordtest.Document(t)
	if doc == nil {
		t.Log(why)
	}
	w.OnExchange(func(x fakediscord.Exchange) {
		misfit := ""
		switch {
		case x.Status == http.StatusNotImplemented:
			misfit = string(x.Response)
		case doc != nil && !x.Spoilt && !x.Undescribed:
			if err := doc.CheckResponse(x.Method, x.Path, x.Status, x.Response); err != nil {
				misfit = fmt.Sprintf("%s %s: the answer %d does not fit: %v", x.Method, x.Path, x.Status, err)
			}
		}
		if misfit != "" {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.misfits = append(c.misfits, misfit)
		}
	})
	return c
}

// notBuilt is what the fake says in answers of 501.
const notBuilt = "THE FAKE DISCORD CANNOT DO THIS"

// took notes how a step went.
func (c *course) took(step, trouble string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if trouble == "" {
		trouble = strings.Join(c.misfits, "\n")
	}
	c.misfits = nil
	c.results = append(c.results, result{step, trouble})
}

// report prints how many steps there were, and the names of those that differ from Discord. What is not built is listed in a file; anything else
// fails the test.
func (c *course) report(client string) {
	c.Helper()
	var unbuilt, wrong []string
	for _, r := range c.results {
		switch {
		case strings.Contains(r.Trouble, notBuilt):
			unbuilt = append(unbuilt, r.Step)
		case r.Trouble != "":
			wrong = append(wrong, r.Step)
			c.Errorf("%s: %s", r.Step, r.Trouble)
		}
	}
	same := len(c.results) - len(unbuilt) - len(wrong)
	summary := fmt.Sprintf("%d steps, %d as on Discord, %d not built\n", len(c.results), same, len(unbuilt))
	for _, step := range unbuilt {
		summary += "not built: " + step + "\n"
	}
	c.Logf("%s: %s", client, summary)
	if len(wrong) > 0 {
		c.Logf("wrong: %s", strings.Join(wrong, "; "))
		return
	}
	if same < enoughSteps {
		c.Errorf("%d steps are too few, want %d", same, enoughSteps)
	}
	golden.Equal(c.T, "testdata/"+client+".golden", summary)
}
