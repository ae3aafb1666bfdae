package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

func TestSourcesAreListedOnce(t *testing.T) {
	var s chat.Sources
	s.Add("an embed", "a message by <@1>\nan embed", "")
	if s != "an embed\na message by <@1>" || s.Phrase() != "an embed and a message by <@1>" {
		t.Errorf("%q, %q", s, s.Phrase())
	}
	for i := range 100 {
		s.Add(chat.Sources(fmt.Sprintf("the file %d", i)))
	}
	if got := s.Phrase(); got != "an embed, a message by <@1>, the file 0 and 17 more" {
		t.Errorf("%q", got)
	}
	(*chat.Sources)(nil).Add("dropped")
}

// TestANameIsNoSourceOfItsOwn: whoever names a file must not write into a card.
func TestANameIsNoSourceOfItsOwn(t *testing.T) {
	s := chat.Opened{Texts: []chat.Document{{Name: "a\n\u202e**b**\u2028" + strings.Repeat("x", 500)}}}.Outside()
	if strings.ContainsAny(string(s), "\n\u202e\u2028") || strings.Contains(string(s), "**b") || len(s) > 100 {
		t.Errorf("%q", s)
	}
}
