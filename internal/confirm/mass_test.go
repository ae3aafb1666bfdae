package confirm

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// TestACardIsOneMessage, while it is open and afterwards, and says how many it does not show. Those are in the file.
func TestACardIsOneMessage(t *testing.T) {
	t.Parallel()
	for _, words := range []int{1, 10, 500} {
		for _, kind := range []string{"", "Do something"} { // an ordinary card, and one about many changes
			for _, undoes := range []string{"", "turn/1"} {
				r, lines := crowded(kind, undoes, words)
				open, list := r.opening()
				requireWhole(t, r, open, list, r.Items[24].What)
				if !strings.HasSuffix(open, r.how()) || !strings.Contains(open, "25") {
					t.Errorf("%d words: the card is %q", words, open)
				}
				if grave := strings.Index(open, "Delete a channel"); words > 1 && (grave < 0 || strings.Contains(open[:grave], "text")) {
					t.Errorf("%d words: the gravest does not come first: %q", words, open)
				}
				r.verdict = verdictApproved(chat.User{ID: "7"}, lines)
				ending, list := r.ending()
				requireWhole(t, r, ending, list, lines[23])
				if !strings.Contains(ending, "✅ Approved by <@7>.\n") || !strings.Contains(ending, "Failed: the last one") {
					t.Errorf("%d words: the ending is %q", words, ending)
				}
			}
		}
	}
}

// crowded is a question about many actions, and what came of them.
func crowded(kind, undoes string, words int) (r record, lines []string) {
	r.token, r.Origin.Requester, r.Undoes = "token", "123456789012345678", undoes
	for i := range 25 {
		p := actions.Pending{What: "Say: " + strings.Repeat("🦀 text ", words)}
		if kind != "" {
			p.Kind = fmt.Sprintf("%s %d", kind, i%2+i/12*100) + strings.Repeat(" 🦀", words/10)
		}
		if i == 24 {
			p.What, p.Request.Type = "Delete a channel.", "channelDelete"
		}
		r.Items = append(r.Items, p)
		lines = append(lines, "Done: "+strings.Repeat("🦀", words))
	}
	lines[24] = "Failed: the last one"
	return r, lines
}

// requireWhole requires that a card is one message, and that all of what it is about is in it or in its file.
func requireWhole(t *testing.T, r record, text, list, last string) {
	t.Helper()
	if chat.Length(text) > maxCard {
		t.Errorf("the card has %d characters", chat.Length(text))
	}
	if (list == "") == strings.Contains(text, inFile) {
		t.Errorf("the card says %q, and its file is %q", text, list)
	}
	if list == "" {
		list = text
	}
	if !strings.Contains(list, last) || strings.Contains(text, inFile) && strings.Count(list, "text") < strings.Count(r.list(), "text") {
		t.Errorf("the file lacks something: %q", list)
	}
}

// TestTheFileOfACardHasNoBackslashes: nothing formats it.
func TestTheFileOfACardHasNoBackslashes(t *testing.T) {
	r := record{Question: Question{Items: []actions.Pending{{What: "Send “" + chat.Literal(`**hi** <@1> C:\x`) + "”."}}}}
	if got, want := r.list(), "1. Send “**hi** <@1> C:\\x”.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
