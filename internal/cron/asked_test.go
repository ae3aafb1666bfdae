package cron_test

import (
	"testing"

	"discoclaw/internal/cron"
)

func TestWhichJobATextIsAbout(t *testing.T) {
	t.Parallel()
	names := map[string]string{
		"cron-0000000a": "Morning weather", "cron-0000000b": "Evening weather", "cron-0000000c": "Backups", "cron-0000000d": "The daily standup",
		"cron-0000000e": "Weather", "cron-0000000f": "On-call question", "cron-00000010": "Tea", "cron-00000011": "🌅", "cron-00000012": "Lunch menu", "cron-00000013": "Menu of lunch",
		"cron-00000014": "Secret weather", "cron-00000015": "Daily job",
	}
	var jobs []cron.Job
	for id, name := range names {
		jobs = append(jobs, cron.Job{ID: id, Definition: cron.Definition{Name: name}})
	}
	sees := func(j cron.Job) bool { return j.Name != "Secret weather" }
	for _, tt := range []struct{ name, text, want string }{
		{"an ID", "pause CRON-0000000a, please", "Morning weather"},
		{"an ID beats a name", "is cron-0000000a the job Evening weather?", "Morning weather"},
		{"an unknown ID, and a name", "is cron-00000099 the job “evening weather”?", "Evening weather"},
		{"the ID of a job that cannot be seen", "show cron-00000014", ""},
		{"two IDs", "is cron-0000000a or cron-0000000b the job?", ""},
		{"part of an ID", "cron-0000000 or cron-0000000aa", ""},
		{"a whole name", "what does morning   WEATHER do?", "Morning weather"},
		{"the longest of several whole names", "show me the evening weather", "Evening weather"},
		{"a whole name as a part of words", "show me the backupserver", ""},
		{"a name with marks", "when does the on call question run?", "On-call question"},
		{"all words of a name, in another order", "what does the job about the weather each morning do?", "Weather"}, // whose whole name is there
		{"without a question", "the morning weather was nice", ""},
		{"words, in another order", "is there a question for who is on the phone at each call? show me the job", "On-call question"},
		{"words in another order, in two names", "show the menu for lunch", ""},
		{"a single long word", "describe the standup", "The daily standup"},
		{"a single short word is a whole name", "when does tea run?", "Tea"},
		{"only words that many jobs have", "is there a job that runs daily?", ""},
		{"a name of such words, whole", "pause the daily job", "Daily job"},
		{"no name", "what jobs are there?", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, found := cron.Asked(tt.text, jobs, sees)
			if found != (tt.want != "") || found && got.Name != tt.want {
				t.Errorf("%q is about %q (%v), want %q", tt.text, got.Name, found, tt.want)
			}
			if found && !cron.MayAsk(tt.text) {
				t.Errorf("%q is not looked at", tt.text)
			}
		})
	}
}

func TestAJobThatCannotBeSeenMakesNoTie(t *testing.T) {
	t.Parallel()
	jobs := []cron.Job{{ID: "cron-1", Definition: cron.Definition{Name: "News"}}, {ID: "cron-2", Definition: cron.Definition{Name: "News"}}}
	if _, found := cron.Asked("show news", jobs, func(cron.Job) bool { return true }); found {
		t.Error("two jobs have that name")
	}
	if j, found := cron.Asked("show news", jobs, func(j cron.Job) bool { return j.ID == "cron-2" }); !found || j.ID != "cron-2" {
		t.Errorf("found %q", j.ID)
	}
}
