package spoken

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 59) + "wo, " + strings.Repeat("x", 400)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"three", "One. Two! Three? ", []string{"One.", "Two!", "Three?"}},
		{"numbers", "It is Version 2.5 now. It costs 1.50.", []string{"It is Version 2.5 now.", "It costs 1.50."}},
		{"abbreviations", "Fruit, e.g. apples, or z. B. Birnen. By J. R. Tolkien.", []string{"Fruit, e.g. apples, or z. B. Birnen.", "By J. R. Tolkien."}},
		{"what goes on in small letters", "Apples, pears, etc. and plums. So… well.", []string{"Apples, pears, etc. and plums.", "So… well."}},
		{"an address", "See docs.example.com/a.html?x=1.2 now. Bye.", []string{"See docs.example.com/a.html?x=1.2 now.", "Bye."}},
		{"several marks", "Really?! Yes... Well.", []string{"Really?!", "Yes...", "Well."}},
		{"quotes", `He said "No." Then he left. (So did we.) Good.`, []string{`He said "No."`, "Then he left.", "(So did we.)", "Good."}},
		{"Chinese", "你好。你叫什么名字？我很好！", []string{"你好。", "你叫什么名字？", "我很好！"}},
		{"Japanese quotes", "「はい。」と言った。", []string{"「はい。」", "と言った。"}},
		{"Arabic", "كيف حالك؟ أنا بخير.", []string{"كيف حالك؟", "أنا بخير."}},
		{"Hindi", "नमस्ते। आप कैसे हैं?", []string{"नमस्ते।", "आप कैसे हैं?"}},
		{"an ordinal", "Am 3. Mai. Gut.", []string{"Am 3. Mai.", "Gut."}},
		{"blank lines", "A title\n\nThe text\ngoes on\n \nand on", []string{"A title", "The text\ngoes on", "and on"}},
		{"no end", "and then", []string{"and then"}},
		{"nothing but marks", "... !", nil},
		{"the same again", "No. No. No.", []string{"No.", "No.", "No."}},
		{"too long", long, []string{strings.Repeat("word ", 59) + "wo,", strings.Repeat("x", 300), strings.Repeat("x", 100)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := new(Splitter).Finish(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("%q is split into %q, want %q", tt.text, got, tt.want)
			}
			var s Splitter
			var grown []string
			for i := range tt.text {
				grown = append(grown, s.Add(tt.text[:i])...)
			}
			if grown = append(grown, s.Finish(tt.text)...); !slices.Equal(grown, tt.want) {
				t.Errorf("%q, as it grows, is split into %q, want %q", tt.text, grown, tt.want)
			}
		})
	}
}

// TestASentenceIsReturnedAsSoonAsItIsComplete: with the first character of the next one.
func TestASentenceIsReturnedAsSoonAsItIsComplete(t *testing.T) {
	t.Parallel()
	var s Splitter
	for _, step := range []struct{ text, want string }{
		{"I see. ", ""}, {"I see. Y", "I see."}, {"I see. You want 2", ""}, {"I see. You want 2.", ""}, {"I see. You want 2.5 of it.", ""},
		{"I see. You want 2.5 of it. 好", "You want 2.5 of it."}, {"I see. You want 2.5 of it. 好。了", "好。"},
	} {
		if got := strings.Join(s.Add(step.text), "|"); got != step.want {
			t.Errorf("with %q came %q, want %q", step.text, got, step.want)
		}
	}
}

// TestNothingIsSaidAgain when a text changes behind what was said: the rest is, and what is new.
func TestNothingIsSaidAgain(t *testing.T) {
	t.Parallel()
	var s Splitter
	said := s.Add("I found three. **They are old. Shall I")
	said = append(said, s.Add("I found four. They are old. Shall I go")...)
	said = append(said, s.Add("They are old. Shall I go on?")...)
	said = append(said, s.Finish("I found four. They are old. Shall I go on? They are old.")...)
	want := []string{"I found three.", "**They are old.", "I found four.", "Shall I go on?", "They are old."}
	if !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// drawn is a text with all that matters to a splitter.
func drawn(t *rapid.T, name string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "Word", "é", "好", " ", " ", "\n", "\n\n", ".", "!", "?", "…", "。", "？", "؟", ")", "\"", "2.5", "e.g.", "1.", "https://a.b/c. ", ",", "\u0301",
		strings.Repeat("long", 30), strings.Repeat("长", 90), "\xff",
	}), 0, 40).Draw(t, name)
	return strings.Join(parts, "")
}

func squeezed(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), unicode.IsSpace), "")
}

// requireAll checks that pieces are a whole text, without what is not heard, and in order.
func requireAll(t testing.TB, text string, pieces []string) {
	t.Helper()
	if got, want := letters(strings.Join(pieces, "")), letters(text); got != want {
		t.Fatalf("%q became %q: heard is %q, want %q", text, pieces, got, want)
	}
	for _, p := range pieces {
		if n := len([]rune(p)); n > MaxPiece+10 {
			t.Fatalf("a piece has %d characters: %q", n, p)
		}
	}
}

// grow feeds a text in steps of which each ends where cut says.
func grow(text string, cut func(rest int) int) (pieces []string) {
	var s Splitter
	for at := 0; at < len(text); {
		at += cut(len(text) - at)
		pieces = append(pieces, s.Add(strings.ToValidUTF8(text[:at], ""))...)
	}
	return append(pieces, s.Finish(strings.ToValidUTF8(text, ""))...)
}

func TestNoSentenceIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(drawn(t, "text"), "")
		pieces := grow(text, func(rest int) int { return rapid.IntRange(1, min(rest, 50)).Draw(t, "step") })
		if got, want := letters(strings.Join(pieces, "")), letters(text); got != want {
			t.Fatalf("%q became %q: heard is %q, want %q", text, pieces, got, want)
		}
		if once := new(Splitter).Finish(text); !slices.Equal(once, pieces) {
			t.Fatalf("%q grows into %q, but is %q", text, pieces, once)
		}
	})
}

// TestPieces: no character is lost where a text is too long for a service, and no piece is.
func TestPieces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, most := drawn(t, "text"), rapid.IntRange(11, 60).Draw(t, "most")
		pieces := Pieces(text, most)
		if squeezed(strings.Join(pieces, "")) != squeezed(text) {
			t.Fatalf("%q became %q", text, pieces)
		}
		for _, p := range pieces {
			if len([]rune(p)) > most {
				t.Fatalf("%q has over %d characters", p, most)
			}
		}
	})
	if got := Pieces("One. Two. Three. Four.", 18); !slices.Equal(got, []string{"One. Two. Three.", "Four."}) {
		t.Errorf("the pieces are %q", got)
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add("One. Two? 2.5 is e.g. a number. 好。", byte(3))
	f.Add("A title\n\n- an item\n"+strings.Repeat("word ", 100), byte(7))
	f.Fuzz(func(t *testing.T, text string, step byte) {
		if len(text) > 4000 {
			t.Skip()
		}
		text = strings.ToValidUTF8(text, "")
		requireAll(t, text, grow(text, func(rest int) int { return min(rest, int(step%40)+1) }))
	})
}
