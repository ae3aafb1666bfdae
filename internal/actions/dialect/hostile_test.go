package dialect_test

import (
	"strings"
	"testing"

	"discoclaw/internal/actions/dialect"
)

// A hostileText makes a careless parser take quadratic time. It has n pieces; with
// 100,000 of them such a parser would run for minutes.
type hostileText struct {
	name string
	text func(n int) string
}

var hostile = []hostileText{
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
