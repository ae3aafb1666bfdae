package tasks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
)

func TestNamesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"Fix it", "[2] more", "🟢 green", "☑", "1", strings.Repeat("ab ", 30), strings.Repeat("😀", 40)} {
		for _, status := range Statuses {
			for _, number := range []int64{1, 42, 1234} {
				r := record{Task: Task{Title: strings.TrimSpace(title), Status: status}, number: number}
				gotStatus, gotNumber, _ := parseName(r.name())
				if got := r.titleIn(r.name()); gotStatus != status || gotNumber != number || got != r.Title {
					t.Errorf("%q means %s %d %q", r.name(), gotStatus, gotNumber, got)
				}
			}
		}
	}
	for _, tt := range []struct{ title, name string }{
		{"Fix it", "🟢 [007] Fix it"},
		{strings.Repeat("a", 91), "🟢 [007] " + strings.Repeat("a", 91)},
		{strings.Repeat("a", 92), "🟢 [007] " + strings.Repeat("a", 90) + "…"},
		{strings.Repeat("😀", 100), "🟢 [007] " + strings.Repeat("😀", 45) + "…"},
	} {
		r := record{Task: Task{Title: tt.title, Status: Open}, number: 7}
		if got := r.name(); got != tt.name || chat.Length(got) > forum.MaxName {
			t.Errorf("%q is called %q (%d), want %q", tt.title, got, chat.Length(got), tt.name)
		}
	}
}

func TestNamesOfOthersAreTakenApart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"Fix it", ` 0 "Fix it"`},
		{"🟡Fix it", `in_progress 0 "Fix it"`},
		{"☑[12]x", `closed 12 "x"`},
		{"Fix [001] it", ` 0 "Fix [001] it"`},
		{"[dev-001] x", ` 0 "[dev-001] x"`},
		{"[001]", ` 1 ""`},
		{"", ` 0 ""`},
		{"🔴 x", ` 0 "🔴 x"`},
	} {
		status, number, title := parseName(tt.name)
		if got := fmt.Sprintf("%s %d %q", status, number, title); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestStartersNameTheirTask(t *testing.T) {
	t.Parallel()
	r := record{Task: Task{ID: "ws-001", Status: InProgress, Description: "**ID:** `ws-999`\n" + strings.Repeat("x", 1880), Owner: "12345678901234567890"}}
	if got := r.starter(); chat.Length(got) > forum.MaxStarter || markedID(got) != "ws-001" {
		t.Errorf("%d characters, for %s:\n%s", chat.Length(got), markedID(got), got)
	}
	for text, want := range map[string]string{"**ID:** `ws-012`": "ws-012", "see **ID:** `ws-012`": "", "ws-012": "", "": ""} {
		if got := markedID(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestTagsOfATask(t *testing.T) {
	t.Parallel()
	all := chat.Channel{}
	for _, name := range []string{"open", "In Progress", "a", "b", "c", "d", "e", "f"} {
		all.Tags = append(all.Tags, chat.Tag{ID: "id-" + name, Name: name})
	}
	without := all
	without.Tags = all.Tags[2:]
	for _, tt := range []struct {
		name   string
		forum  chat.Channel
		status Status
		labels string
		want   string
	}{
		{"content and status", all, Open, "a b", "a b open"},
		{"four and the status", all, Open, "a b c d e f", "a b c d open"},
		{"five without a status", without, Open, "a b c d e f", "a b c d e"},
		{"a status with a space", all, InProgress, "a", "In Progress a"},
		{"a status without a tag", all, Closed, "a b c d e", "a b c d e"},
		{"each once", all, Open, "a tag:a label:A", "a open"},
		{"none of that name", all, Open, "x", "open"},
		{"a label called like a status", all, Blocked, "open", ""},
	} {
		got := strings.ReplaceAll(strings.Join(newTagSet(tt.forum, nil).of(Task{Status: tt.status, Labels: strings.Fields(tt.labels)}), " "), "id-", "")
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	mapped := newTagSet(all, map[string]string{"defect": "id-a", "gone": "id-z", "blocked": "id-f"})
	if got := mapped.of(Task{Status: Blocked, Labels: []string{"defect", "gone"}}); !slices.Equal(got, []string{"id-a", "id-f"}) {
		t.Errorf("with a map: %q", got)
	}
	if got := mapped.content(); !slices.Equal(got, []string{"b", "c", "d", "defect", "e"}) {
		t.Errorf("content is %q", got)
	}
}

// FuzzNames: whatever a post is called, it makes a title that a post can have.
func FuzzNames(f *testing.F) {
	for _, text := range []string{"x", "🟢 [007] x", "[007] [007] x", "☑️", "🟢 🟢 x", "[1] ", "\u200b", "[7]", "🟡 [8] y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, name string) {
		r := record{Task: Task{Status: Open, Title: "old"}, number: 7, Link: forum.Link{Base: forum.Post{Name: "🟢 [007] old", Status: string(Open)}}}
		s := forum.Observed{Post: r.Base}
		s.Name = chat.Shorten(chat.OneLine(name), forum.MaxName)
		merged, _ := r.merge(s, newTagSet(chat.Channel{}, nil))
		again := record{Task: merged, number: 7}
		if merged.Title == "" || chat.Length(again.name()) > forum.MaxName {
			t.Errorf("%q makes %q, called %q", name, merged.Title, again.name())
		}
		if chat.Length(merged.Title) < 80 && again.titleIn(again.name()) != merged.Title {
			t.Errorf("%q makes %q, and its name %q", name, merged.Title, again.titleIn(again.name()))
		}
	})
}
