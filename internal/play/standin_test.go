package play_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"discoclaw/internal/config"
)

// TestItAnswersTheFirstSentencesOfTheReadme: everybody tries these first.
func TestItAnswersTheFirstSentencesOfTheReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"Done: created #ideas", "Done: pinned a message in #ideas"},
		{"Done: “Open tasks” runs every Friday at 17:00 in #ops"},
		{"Quiet since 1 March", "buttons: Approve, Reject"},
	}
	quoted := regexp.MustCompile(`(?m)^> “(.*)”$`).FindAllStringSubmatch(string(text), -1)
	if len(quoted) != len(want) {
		t.Fatalf("the README begins with %q", quoted)
	}
	for i, parts := range want {
		got := plays(t, config.Env{}, quoted[i][1])
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%q is missing in the answer to %q:\n%s", part, quoted[i][1], got)
			}
		}
		if strings.Contains(got, "Failed") || strings.Contains(got, "Done: deleted") {
			t.Errorf("%q leads to\n%s", quoted[i][1], got)
		}
	}
}

// TestTheScriptInTheWholeBot checks what depends on the bot's own prompts and on what it does with answers.
func TestTheScriptInTheWholeBot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
		not   string
	}{
		{"asks what is missing, and understands the answer", []string{"make a channel", "boat trips"},
			[]string{"DiscoClaw: What should it be called?", "Done: created #boat-trips"}, "didn't get that"},
		{"asks twice if it must", []string{"remind me", "to stretch", "in 5 minutes"}, []string{"Of what, and when?", "DiscoClaw: When?",
			"Done: I'll remind you at "}, "didn't get that"},
		{"admits a failure", []string{"say hi in #nowhere"}, []string{"Failed: I can't see a channel #nowhere",
			"That didn't work, for the reason above."}, "Done:"},
		{"claims nothing while a card waits", []string{"delete the last message in #ops"}, []string{"buttons: Approve, Reject"}, "Done: deleted"},
		{"looks people up", []string{"who is sam?", "who's here?"}, []string{"sam has been here since ", "members: you, sam"}, "Failed"},
		{"searches", []string{"say the boat is blue in #ops", "who wrote about the boat?"}, []string{"Posting it in #ops.", "found "}, "Failed"},
		{"sums up", []string{"summarise this channel"}, []string{"DiscoClaw: "}, "Failed"},
		{"pauses a job by its name", []string{"every day at 9, say good morning", "pause the good morning job"},
			[]string{"Done: paused “Say good morning”"}, "Failed"},
		{"closes a task by its title", []string{"make a task: paint the boat", "close the task about the boat"}, []string{"Done: closed “Paint the boat”"},
			"Failed"},
		{"shows events", []string{"make an event: Party tomorrow at 20:00 at the harbour", "what events are there?"}, []string{"Coming up:",
			"- Party, "}, "Failed"},
		{"lists reminders", []string{"remind me tomorrow at 9 to call mum", "what are my reminders?"}, []string{"- call mum (reminder "},
			"Failed"},
		{"follows what was made", []string{"make a channel for boat trips", "no wait, call it cruises", "and put it under Work"},
			[]string{"Done: renamed **#boat-trips** to **#cruises**", "Done: moved #cruises to **Work**"}, "Failed"},
		{"moves what was scheduled", []string{"every monday morning post the open tasks in ops", "make that tuesday instead", "at 8"},
			[]string{"Done: “Open tasks” runs", "every Tuesday at 9:00", "every Tuesday at 8:00"}, "Failed"},
		{"moves a reminder", []string{"remind me tomorrow at 3pm to call mum", "make it 4pm"}, []string{"Done: cancelled the reminder for ", "at 16:00"},
			"Failed"},
		{"repeats it for another, and goes back to the first", []string{"make a channel called sails", "and also one for photos", "rename the sails one to ropes"},
			[]string{"Done: created #photos", "Done: renamed **#sails** to **#ropes**"}, "Failed"},
		{"confirms follow-ups", []string{"make a role called cooks", "give it to sam", "who has it?"}, []string{"Done: gave @sam", "sam has the role cooks."}, "Failed"},
		{"changes the latest reminder", []string{"remind me at 8 tonight to bake", "make it 9", "cancel it"}, []string{"at 21:00", "Done: cancelled the reminder for "}, "Failed"},
		{"does two things at once", []string{"create a role skipper, make it blue and give it to sam"},
			[]string{"Done: created the role @skipper", "Done: gave @sam"}, "Failed"},
		{"finds a task by its words", []string{"add a todo: buy twenty lemons (for sam)", "I bought the lemons"},
			[]string{"“Buy twenty lemons”", "for @sam", "Done: closed “Buy twenty lemons”"}, "Failed"},
		{"goes on with a task", []string{"add a task to fix the oar and give it to sam", "make it urgent", "and due tomorrow"},
			[]string{"opened “Fix the oar”", "urgent", "due on "}, "Failed"},
		{"picks from a list", []string{"every day at 9, say ahoy", "what runs automatically?", "pause the first one", "turn it back on"},
			[]string{"Done: paused “Say ahoy”", "Done: resumed “Say ahoy”"}, "Failed"},
		{"answers from what was said", []string{"what was that about the release?"},
			[]string{"This is what was said about it:", "“The new release is out. Thanks, everybody!”"}, "Failed"},
		{"says what it looked for in vain", []string{"when does the crane come?"}, []string{"I find nothing about “crane”"}, "Failed"},
		{"mends slips", []string{"please delte the random channel", "remind me tomorow at 8 to bake"}, []string{"delete #random", "Done: I'll remind you"}, ""},
		{"keeps a memory", []string{"remember that I prefer tea", "what do you know about me?"}, []string{"What I remember about you:",
			"- Prefers tea."}, "Failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := plays(t, config.Env{}, tt.lines...)
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("%q is missing in\n%s", part, got)
				}
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("%q should not be in\n%s", tt.not, got)
			}
		})
	}
}
