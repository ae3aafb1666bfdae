package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
)

// hostile are texts that make a careless parser take quadratic time, n pieces
// each. With 100,000 pieces such a parser would run for minutes.
var hostile = []struct {
	name string
	text func(n int) string
}{
	{"opening tags", repeat("<discord-action>")},
	{"closing tags", repeat("</discord-action>")},
	{"opening tags on lines", repeat("<discord-action>\n")},
	{"opening tags before blanks", repeat("<discord-action>        ")},
	{"braces", after("<discord-action>", repeat("{"))},
	{"closing braces", after("<discord-action>{", repeat("}"))},
	{"unbalanced payloads", repeat("<discord-action>{\n")},
	{"unbalanced payloads with quotes", repeat("<discord-action>{\"a\n")},
	{"unbalanced payloads with escapes", repeat("<discord-action>{\"\\\n")},
	{"payloads that balance only for the first", after("<discord-action>{", repeat("<discord-action>{}"))},
	{"blocks without a closing tag", repeat(`<discord-action>{"type":"taskList"}`)},
	{"blocks behind blanks", repeat(`<discord-action>{}     `)},
	{"half closing tags", repeat(`<discord-action>{}</aaaaaaaa`)},
	{"stripped blocks", repeat(`<discord-action>{"type":"nope"}</discord-action>`)},
	{"malformed blocks", repeat(`<discord-action>{x}</discord-action>`)},
	{"pairs without braces", repeat("<discord-action>x</discord-action>")},
	{"backticks", before("\n<discord-action>", repeat("`"))},
	{"backticks apart", before("\n<discord-action>", repeat("` "))},
	{"backtick runs of all lengths", growing("`", " ")},
	{"runs of all lengths before many", func(n int) string { return growing("`", " ")(n/2) + strings.Repeat("` `` ", n/10) + "<discord-action>" }},
	{"fences", before("\n<discord-action>", repeat("```\n"))},
	{"fences of all lengths", growing("`", "x\n")},
	{"indented lines", before("\n<discord-action>", repeat("    x\n"))},
	{"blank lines", before("\n<discord-action>", repeat("\n"))},
	{"blocks in code", repeat("`<discord-action>{}</discord-action>` ")},
	{"deep payload", func(n int) string {
		return "<discord-action>" + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + "</discord-action>"
	}},
}

func repeat(piece string) func(int) string {
	return func(n int) string { return strings.Repeat(piece, n) }
}

func after(head string, tail func(int) string) func(int) string {
	return func(n int) string { return head + tail(n) }
}

// before ends a text with a marker: without one, code is not even looked for.
func before(tail string, head func(int) string) func(int) string {
	return func(n int) string { return head(n) + tail }
}

// growing has runs of one to k characters, about n characters in all.
func growing(char, between string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for k := 1; b.Len() < n; k++ {
			b.WriteString(strings.Repeat(char, k) + between)
		}
		return b.String() + "<discord-action>"
	}
}

func TestHostileTextsAreParsedAtAll(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			p := dialect.New(accepted, dialect.Blocks())
			requireOracle(t, h.text(50))
			text := h.text(100_000)
			p.Parse(text)
			p.Visible(text)
		})
	}
}

// TestRealMistakes has shapes of markup that models really produce.
func TestRealMistakes(t *testing.T) {
	block := func(payload string) string { return actions.BlockOpen + payload + actions.BlockClose }
	for _, tt := range []struct {
		name, in string
		types    []string
		text     string
		flaws    []actions.Flaw
	}{
		{"two objects in one block", block(`{"type":"taskList"}{"type":"taskShow"}`), []string{"taskList"}, `{"type":"taskShow"}</discord-action>`, nil},
		{"a list of objects", "Both:" + block(`[{"type":"taskList"},{"type":"taskShow"}]`) + "\nok", nil, "Both:\nok", []actions.Flaw{actions.NoType}},
		{"a fence inside the block", block("```json\n{\"type\":\"taskList\"}\n```"), nil, "", []actions.Flaw{actions.NotJSON}},
		{"the whole block in a fence", "```\n" + block(`{"type":"taskList"}`) + "\n```", nil, "```\n" + block(`{"type":"taskList"}`) + "\n```", nil},
		{"smart quotes", block(`{“type”:“taskList”}`), nil, "", []actions.Flaw{actions.NotJSON}},
		{"Python's constants", block(`{"type":"taskShow","full":True}`), nil, "", []actions.Flaw{actions.NotJSON}},
		{"cut off by the token limit", "I will: " + actions.BlockOpen + `{"type":"taskShow","taskId":"ws-`, nil, "I will:", []actions.Flaw{actions.CutOff}},
		{"the name as a member", block(`{"taskList":{}}`), nil, "", []actions.Flaw{actions.NoType}},
		{"closing tag of another markup", actions.BlockOpen + `{"type":"taskList"}</tool-call>` + "\nSure.", []string{"taskList"}, "Sure.", nil},
		{"markup talked about in prose", "Use " + actions.BlockOpen + " to act.", nil, "Use " + actions.BlockOpen + " to act.", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := dialect.New(accepted, dialect.Blocks())
			got := p.Parse(tt.in)
			var types []string
			for _, r := range got.Requests {
				types = append(types, r.Type)
			}
			var flaws []actions.Flaw
			for _, m := range got.Malformed {
				if m.Detail == "" {
					t.Error("the model is not told what is wrong")
				}
				flaws = append(flaws, m.Flaw)
			}
			if fmt.Sprint(types, flaws) != fmt.Sprint(tt.types, tt.flaws) || got.Text != tt.text {
				t.Errorf("%q\n got %v, %v, %q\nwant %v, %v, %q", tt.in, types, flaws, got.Text, tt.types, tt.flaws, tt.text)
			}
			requireNoMarkup(t, p, tt.in)
		})
	}
}

func TestPreviewGrowsWithTheStream(t *testing.T) {
	p := dialect.New(accepted, dialect.Blocks())
	text := "First, x < y.\n" + actions.BlockOpen + `{"type":"taskList"}` + actions.BlockClose + "\nThen `" + actions.BlockOpen + "` in code.\n[end]"
	for _, tt := range []struct{ soFar, want string }{
		{"First, x <", "First, x"}, // it may be a marker
		{"First, x < ", "First, x <"},
		{"First, x < y.\n<discord-", "First, x < y."},
		{`First, x < y.` + "\n" + actions.BlockOpen + `{"type":"ta`, "First, x < y."},
		{`First, x < y.` + "\n" + actions.BlockOpen + `{"type":"taskList"}</disc`, "First, x < y."},
		{`First, x < y.` + "\n" + actions.BlockOpen + `{"type":"taskList"}</discord-action>` + "\nTh", "First, x < y.\n\nTh"},
		{text[:strings.Index(text, "` in code")], "First, x < y.\n\nThen `"},
		{text, "First, x < y.\n\nThen `" + actions.BlockOpen + "` in code.\n[end]"},
	} {
		if !strings.HasPrefix(text, tt.soFar) {
			t.Fatalf("%q is not how the text begins", tt.soFar)
		}
		if got := p.Visible(tt.soFar); got != tt.want {
			t.Errorf("Visible(%q) = %q, want %q", tt.soFar, got, tt.want)
		}
	}
}

func TestArgumentsStayAsWritten(t *testing.T) {
	payload := `{ "type": "taskShow", "id": 123456789012345678901, "x": [1.0, null] }`
	got := dialect.New(accepted, dialect.Blocks()).Parse(actions.BlockOpen + payload + actions.BlockClose)
	if len(got.Requests) != 1 || string(got.Requests[0].Args) != payload || !json.Valid(got.Requests[0].Args) {
		t.Errorf("requests %v, want the payload as it was", got.Requests)
	}
}
