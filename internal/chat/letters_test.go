package chat_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

func TestLetters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"📢︱announcements", "announcements", true},
		{"『📢』Announcements", "announcements", true},
		{"┊big-news", "Big News", true},
		{"𝗴𝗲𝗻𝗲𝗿𝗮𝗹", "general", true},
		{"𝒢eneral-ｃｈａｔ２", "general-chat2", true},
		{"ℹ️info", "info", true},
		{"1️⃣-rules", "rules", true},
		{"bücher🌻", "BÜCHER", true},
		{"日本語", "【日本語】", true},
		{"हिन्दी", "हन्द", false},
		{"STRAẞE", "straße", true},
		{"ops-1", "ops-2", false},
		{"ops", "opsroom", false},
		{"opsroom", "ops", false},
		{"📢", "", true},
	} {
		if a, b := chat.Letters(tt.a), chat.Letters(tt.b); (a == b) != tt.want {
			t.Errorf("%q has %q, and %q has %q", tt.a, a, tt.b, b)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"📢︱Big-News!": "big news", "pin it in #book_club, please": "pin it in book club please", "": "", "🎉 🎉": "",
	} {
		if got := chat.Words(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestBeginsIn: it says no only of names whose letters are not in a text, and allocates nothing.
func TestBeginsIn(t *testing.T) {
	names := []string{"", "-", "a", "é", "ops", "🦊-ops", "general", "ＯＰＳ", "𝓰𝓮𝓷𝓮𝓻𝓪𝓵", "1️⃣-rules", "日本語", "ℹ️info", "Straße"}
	for _, text := range append(names, "post it in Ops, or in general", "日本語で話そう", "the rules", "nothing here") {
		letters := chat.Letters(text)
		for _, name := range names {
			if in := strings.Contains(letters, chat.Letters(name)); in && !chat.BeginsIn(letters, name) {
				t.Errorf("%q does not begin in %q", name, text)
			}
		}
	}
	if chat.BeginsIn(chat.Letters("post it in Ops"), "random") {
		t.Error("random begins in a text without it")
	}
	if n := testing.AllocsPerRun(100, func() { chat.BeginsIn("postitinops", "🦊-𝓰𝓮𝓷𝓮𝓻𝓪𝓵") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
