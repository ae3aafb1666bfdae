package chat_test

import (
	"testing"

	"discoclaw/internal/chat"
)

// TestWhatIsHiddenIsTakenOut: also from every function that quotes.
func TestWhatIsHiddenIsTakenOut(t *testing.T) {
	t.Parallel()
	var all []rune
	for _, r := range [][2]rune{{0x202a, 0x202e}, {0x2066, 0x2069}, {0x200b, 0x200f}, {0x061c, 0x061c}, {0x2060, 0x2060}, {0xfeff, 0xfeff}, {0x00ad, 0x00ad},
		{0x180e, 0x180e}, {0xe0000, 0xe007f}, {0xe0100, 0xe01ef}, {0xfe00, 0xfe0f}} {
		for c := r[0]; c <= r[1]; c++ {
			all = append(all, c)
		}
	}
	for _, r := range all {
		text := "ab" + string(r) + "cd"
		for name, got := range map[string]string{
			"Visible": chat.Visible(text), "OneLine": chat.OneLine(text), "InBrackets": chat.InBrackets(text), "Literal": chat.Literal(text),
			"InCode": chat.InCode(text)[1:5], "Bold": chat.Bold(text)[2:6], "Label": chat.Attachment{Name: text}.Label(),
		} {
			if got != "abcd" {
				t.Errorf("%s of %U is %q", name, r, got)
			}
		}
	}
	if got := chat.Visible(string(all) + "x" + string(all)); got != "x" {
		t.Errorf("of a row of them %+q is left", got)
	}
}

// TestWhatBelongsToACharacterStays: emoji, and the spelling of Persian, Hindi and Sinhala.
func TestWhatBelongsToACharacterStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "👩\u200d🚀", "👩🏽\u200d🚀", "❤\ufe0f\u200d🔥", "1\ufe0f⃣ #\ufe0f⃣", "ℹ\ufe0f", "🏳\ufe0f\u200d🌈", "می\u200cخواهم", "क्\u200dष", "ශ්\u200dරී", "שלום مرحبا"} {
		if got := chat.Visible(text); got != text {
			t.Errorf("%+q became %+q", text, got)
		}
	}
}
