package standin_test

import (
	"strings"
	"testing"
)

// TestItAsksBack: what is half understood is asked about, and the answer is put where it belongs.
func TestItAsksBack(t *testing.T) {
	for _, tt := range []struct {
		asked, question, answer, want string
	}{
		{"make a channel", "What should it be called?", "boat trips", `"name":"boat-trips"`},
		{"make a new private channel", "What should it be called?", "call it crew", `"name":"crew","private":true`},
		{"Can you rename #news?", "What should it be called?", "updates", `"channelId":"news","name":"updates"`},
		{"move #news", "To which category?", "to Work", `"channelId":"news","parent":"Work"`},
		{"delete it", "Which channel do you mean?", "#random", `"channelId":"random"`},
		{"delete the channel", "Which channel do you mean?", "random", `"channelId":"random"`},
		{"make a role", "What should the role be called?", "crew", `"name":"crew"`},
		{"remind me", "Of what, and when?", "to stretch in 5 minutes", `"text":"stretch","in":"5m"`},
		{"remind me", "Of what, and when?", "in 5 minutes to stretch", `"text":"stretch","in":"5m"`},
		{"remind me to stretch", "When?", "in 5 minutes", `"text":"stretch","in":"5m"`},
		{"remind me in 5 minutes", "Of what?", "stretch", `"text":"stretch","in":"5m"`},
		{"make a task", "What is there to do?", "paint the boat", `"title":"Paint the boat"`},
		{"close the task", "Which task?", "3", `"taskId":"3"`},
		{"make a poll", "What is the question, and what can people choose?", "Lunch? pizza or pasta",
			`"channel":"general","question":"Lunch?","answers":["pizza","pasta"]`},
		{"make a poll about lunch", "What can people choose?", "pizza or pasta",
			`"channel":"general","question":"Lunch","answers":["pizza","pasta"]`},
		{"make an event", "What, when and where?", "Party tomorrow at 20:00 at the harbour",
			`"name":"Party","startTime":"2026-11-19T20:00+00:00","location":"the harbour"`},
		{"start a thread", "What is it about?", "lunch", `"channelId":"general","name":"lunch"`},
		{"every day at 9", "What should I do then?", "say good morning",
			`"name":"Say good morning","schedule":"every day at 9","prompt":"Say good morning."`},
		{"send a message", "What should I write, and in which channel?", "hello in #ops", `"channel":"ops","content":"hello"`},
		{"say ahoy", "In which channel?", "#ops", `"channel":"ops","content":"ahoy"`},
		{"find something", "What should I look for?", "the boat", `"query":"boat"`},
		{"remember", "What should I remember?", "I prefer tea", `"text":"Prefers tea."`},
		{"make a plan", "What should the plan change?", "add a greeting", `"description":"Add a greeting"`},
	} {
		t.Run(tt.asked+"/"+tt.answer, func(t *testing.T) {
			if got := answered(t, said(t, tt.asked)); got != tt.question {
				t.Fatalf("it says %q, want %q", got, tt.question)
			}
			blocks, _ := requests(answered(t, said(t, tt.answer, "hello", "Hello!", tt.asked, tt.question)))
			if got := strings.Join(blocks, "\n"); got != tt.want {
				t.Errorf("with the answer it does\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestAnAnswerMayLackSomethingToo(t *testing.T) {
	before := []string{"remind me", "Of what, and when?"}
	if got := answered(t, said(t, "to stretch", before...)); got != "When?" {
		t.Fatalf("it says %q", got)
	}
	before = append(before, "to stretch", "When?")
	if got := shown(answered(t, said(t, "in 10 minutes", before...))); got != `"text":"stretch","in":"10m"` {
		t.Errorf("it does %s", got)
	}
}

func TestSomebodyMayAskForSomethingElseInstead(t *testing.T) {
	got := shown(answered(t, said(t, "what channels do we have?", "make a channel", "What should it be called?")))
	if strings.Contains(got, "name") {
		t.Errorf("it took the question for an answer: %s", got)
	}
}

// TestItSuggestsWhatIsNearest to what it did not understand.
func TestItSuggestsWhatIsNearest(t *testing.T) {
	for _, tt := range []struct{ asked, first string }{
		{"I would love a reminder for stretching", "remind me in 20 seconds to stretch"},
		{"stories are nice", "tell me a story"},
		{"polls are fun", "start a poll"},
		{"roles for helpers", "give sam the role helpers"},
	} {
		got := answered(t, said(t, tt.asked))
		rest, ok := strings.CutPrefix(got, "I'm scripted here and didn't get that, or can't do it. Try: ")
		if !ok || !strings.HasPrefix(rest, tt.first) || strings.Count(rest, " · ") != 2 {
			t.Errorf("%q: it says %q, want three ideas and %q first", tt.asked, got, tt.first)
		}
	}
}
