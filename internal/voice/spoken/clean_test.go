package spoken

import (
	"slices"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	t.Parallel()
	name := func(m string) string {
		return map[string]string{"<@1>": "Ada", "<#2>": "general", "<t:5:R>": "in an hour"}[m]
	}
	for _, tt := range []struct{ name, text, want string }{
		{"plain text", "It works. Really!", "It works. Really!"},
		{"emphasis", "**Bold**, *slanted*, _that too_, __under__, ~~no~~, ***both***, ||a secret||.", "Bold, slanted, that too, under, no, both, a secret."},
		{"no emphasis", `2*3 is 2 * 3, and snake_case stays. 5 \* 5`, "2*3 is 2 * 3, and snake_case stays. 5 * 5"},
		{"an open mark", "**One. Two", "One. Two"},
		{"links", "See [the guide](https://a.b/c_(d)?e=1 \"title\") or ![a cat](x.png).", "See the guide or a cat."},
		{"addresses", "See https://www.example.com/a/b?c=d. Or <http://localhost:8080>!", "See example.com. Or localhost!"},
		{"code", "Do this:\n```go\nx := 1. Or 2.\n```\nand then `go test`.", "Do this:\n\nand then go test."},
		{"an open block of code", "Here:\n```\nx. Y", "Here:"},
		{"a list", "Buy:\n- apples\n* pears!\n  + [x] plums;\n3) nuts\n4. figs (dry)", "Buy:\napples.\npears!\nplums;\n3: nuts.\n4: figs (dry)."},
		{"a heading", "## The plan\nIt is good", "The plan.\nIt is good"},
		{"a quotation", "> She said\n>>> so", "She said\nso"},
		{"small print", "Done.\n-# 12 tokens\nBye.", "Done.\n\nBye."},
		{"a table", "| Name | Age |\n|---|:--:|\n| Ada | 36 |", "Name, Age.\n\nAda, 36."},
		{"a rule", "One\n\n---\n\nTwo", "One\n\nTwo"},
		{"emoji", "Great 🎉! 👩‍👩‍👧 family ❤️ 🇩🇪 1️⃣ ✅ <:wow:123> <a:yes:456>👍🏽", "Great! family 1"},
		{"what is no emoji", "20°C © → 5 € ½ №", "20°C © → 5 € ½ №"},
		{"mentions", "Ask <@1> in <#2> <t:5:R>.", "Ask Ada in general in an hour."},
		{"unknown mentions", "Ask <@!9> or <@&8>, </plan:77>.", "Ask or, ."},
		{"IDs", "Commit 3f2a1b9 by 123456789012345678 (#12), 123e4567-e89b-12d3-a456-426614174000.", "Commit by, ."},
		{"an ID in backticks", "It is `k7x2p9` and `3f2a1b9c`, see `a_name`.", "It is and, see a_name."},
		{"numbers", "1234567 people, 2.5 of 10,000,000, in 2026, 555-1234567", "1234567 people, 2.5 of 10,000,000, in 2026, 555-1234567"},
		{"words with numbers", "defaced1, `python3`, `gpt-4`, plan-001, B2B, effaced, 0xdeadbeef", "defaced1, python3, gpt-4, plan-001, B2B, effaced, 0xdeadbeef"},
		{"no tail is cut", "Version 2.5", "Version 2.5"},
		{"tool calls", "Let me look.\ntask_list\n`task_get(12)`\n!plan run plan-001\n!", "Let me look.\n\n!"},
		{"nothing but a tool call", "!task list", ""},
		{"German", "Das kostet 1.234,50 €. „Gut!“, sagte er.", "Das kostet 1.234,50 €. „Gut!“, sagte er."},
		{"French", "Ça va ? Oui ! « Bien »", "Ça va? Oui! « Bien »"},
		{"Chinese", "- **你好**。\n- 再见", "你好。\n再见."},
		{"Arabic", "## كيف حالك؟\nبخير", "كيف حالك؟\nبخير"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Hindi", "क्\u200dया हाल है।", "क्\u200dया हाल है।"},
		{"nothing", " \n\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(tt.text, name); got != tt.want {
				t.Errorf("%q becomes\n%q, want\n%q", tt.text, got, tt.want)
			}
		})
	}
	if got := Clean("Ask <@1>.", nil); got != "Ask." {
		t.Errorf("without names it is %q", got)
	}
}

// TestAnAnswerThatIsWritten: what is cleaned again with every word comes out once.
func TestAnAnswerThatIsWritten(t *testing.T) {
	t.Parallel()
	const text = "**Sure. Here it is**, see [the guide. Part 2](https://example.com/a.b?c=1) of 3.\n\n" +
		"1. Open `main.go`\n2. Write this:\n```go\nfmt.Println(\"Hi. There.\")\n```\n- *one*\n- two\n\nThat costs 2.5 € 🎉. Commit 3f2a1b9. *Bye.* -# no\n-# small print. Never said."
	want := []string{
		"Sure.", "Here it is, see the guide.", "Part 2 of 3.", "1: Open main.go.", "2: Write this:", "one.", "two.", "That costs 2.5 €.", "Commit.", "Bye.", "-# no",
	}
	for step := 1; step < 30; step++ {
		var s Splitter
		var got []string
		for at := 0; at < len(text); at += step {
			got = append(got, s.Add(Clean(text[:at], nil))...)
		}
		got = append(got, s.Finish(Clean(text, nil))...)
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], "[", "") // of what was no link yet
		}
		if !slices.Equal(got, want) {
			t.Fatalf("in steps of %d: %q\nwant %q", step, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("**a** [b](c) `d` <@1> https://e.f/ | g |\n```\nh\n```\n- i \\* 🎉\n-# j", byte(2))
	f.Fuzz(func(t *testing.T, text string, step byte) {
		if len(text) > 1000 {
			t.Skip()
		}
		var s Splitter
		for at := 0; at < len(text); at += int(step%50) + 1 {
			s.Add(Clean(text[:at], nil))
		}
		whole := Clean(text, nil)
		s.Finish(whole)
		for _, piece := range new(Splitter).Finish(whole) {
			if s.said[letters(piece)] == 0 {
				t.Errorf("%q of %q is never said", piece, whole)
			}
		}
	})
}
