package play_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/play"
)

// TestANewWorldIsLivedIn: what the layout gives the bot is there, and what was said before it came is not answered.
func TestANewWorldIsLivedIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour)
		var world *fakediscord.World
		var out, errs bytes.Buffer
		in := strings.NewReader("!task list\n!cron list\n/discoclaw memory\n!plan show 1\n")
		err := play.Talk(t.Context(), play.Options{Demo: true, In: in, Out: &out, Errs: &errs, Watch: func(w *fakediscord.World) { world = w }})
		if err != nil || errs.Len() > 0 {
			t.Fatal(err, errs.String())
		}
		for _, want := range []string{
			"6 tasks:", "“The right water around midnight”: a draft", "changes: `tides.go`, `tides_test.go`", "“Pay for the two buoys”: open, priority 0 (urgent), due 2025-12-27", "“Buy twenty lemons”", "for @lea",
			"2 scheduled jobs:", "“Look at the moorings” by @ada: runs every day at 0:20", "I keep the books of the club.",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in %s", want, out.String())
			}
		}
		for _, channel := range []string{"random", "boats", "food", "regatta", "ops", "news"} {
			said := world.Messages(channel)
			if len(said) < 2 || time.Since(said[0].Sent) < 5*24*time.Hour {
				t.Errorf("#%s has %d messages", channel, len(said))
			}
			for _, m := range said {
				if who, _ := world.Member(string(m.Author)); who.Bot {
					t.Errorf("the bot said %q in #%s", m.Content, channel)
				}
			}
		}
	})
}

func TestALayoutThatCannotBePlayedSaysWhy(t *testing.T) {
	for _, tt := range []struct{ layout, want string }{
		{"guild d: #a\nchess", `line 2 (chess): "chess" begins no line`},
		{"guild d: #a\ntask of ada: Paint; in blue", `"in blue" says nothing about a task`},
		{"guild d: #a\ntask of ada: Paint; due soon", `"soon" is no time`},
		{"guild d: #a\njob of ada: Paint; daily", "a job has a name, times and a prompt"},
	} {
		err := play.Talk(t.Context(), play.Options{Demo: true, In: strings.NewReader(""), Out: &bytes.Buffer{}, Layout: tt.layout})
		var mistake *config.Error
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &mistake) && !strings.Contains(err.Error(), "layout") {
			t.Errorf("%q: %v, want %q", tt.layout, err, tt.want)
		}
	}
}

// TestWhatTheBotDoesNotTakeIsAWarning: the playground opens all the same.
func TestWhatTheBotDoesNotTakeIsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour)
		for layout, want := range map[string]string{
			"guild d: #general\nmember you: owner\njob of you: Paint; whenever; Paint it.": "the bot refuses something of the layout, cronCreate of you",
			"guild d: #general\nmember you: owner\nmemory of eve: She is not there.":       `no member "eve"`,
		} {
			var errs bytes.Buffer
			err := play.Talk(t.Context(), play.Options{Demo: true, In: strings.NewReader(""), Out: &bytes.Buffer{}, Errs: &errs, Layout: layout})
			if err != nil || !strings.Contains(errs.String(), want) {
				t.Errorf("%v, %q", err, errs.String())
			}
		}
	})
}
