package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/test/hostile"
	"discoclaw/internal/test/skip"
)

// hostileTexts make a careless parser take quadratic time: with 100,000 pieces it
// would run for minutes. Those of code end with a marker, because without one code is
// not even looked for.
var hostileTexts = []struct {
	name string
	text hostile.Text
}{
	{"opening tags", hostile.Repeat("<discord-action>")},
	{"closing tags", hostile.Repeat("</discord-action>")},
	{"opening tags on lines", hostile.Repeat("<discord-action>\n")},
	{"opening tags before blanks", hostile.Repeat("<discord-action>        ")},
	{"braces", hostile.After("<discord-action>", hostile.Repeat("{"))},
	{"closing braces", hostile.After("<discord-action>{", hostile.Repeat("}"))},
	{"unbalanced payloads", hostile.Repeat("<discord-action>{\n")},
	{"unbalanced payloads with quotes", hostile.Repeat("<discord-action>{\"a\n")},
	{"unbalanced payloads with escapes", hostile.Repeat("<discord-action>{\"\\\n")},
	{"payloads that balance only for the first", hostile.After("<discord-action>{", hostile.Repeat("<discord-action>{}"))},
	{"blocks without a closing tag", hostile.Repeat(`<discord-action>{"type":"taskList"}`)},
	{"blocks behind blanks", hostile.Repeat(`<discord-action>{}     `)},
	{"half closing tags", hostile.Repeat(`<discord-action>{}</aaaaaaaa`)},
	{"stripped blocks", hostile.Repeat(`<discord-action>{"type":"nope"}</discord-action>`)},
	{"malformed blocks", hostile.Repeat(`<discord-action>{x}</discord-action>`)},
	{"pairs without braces", hostile.Repeat("<discord-action>x</discord-action>")},
	{"backticks", hostile.Before("\n<discord-action>", hostile.Repeat("`"))},
	{"backticks apart", hostile.Before("\n<discord-action>", hostile.Repeat("` "))},
	{"backtick runs of all lengths", growing("`", " ")},
	{"runs of all lengths before many", func(n int) string { return growing("`", " ")(n/2) + strings.Repeat("` `` ", n/10) + "<discord-action>" }},
	{"runs without a partner before many", func(n int) string {
		var b strings.Builder
		for width := 3; b.Len() < n/3; width++ {
			b.WriteString("x" + strings.Repeat("`", width))
		}
		return b.String() + strings.Repeat(" `", n/3) + "<discord-action>"
	}},
	{"fences", hostile.Before("\n<discord-action>", hostile.Repeat("```\n"))},
	{"fences of all lengths", growing("`", "x\n")},
	{"indented lines", hostile.Before("\n<discord-action>", hostile.Repeat("    x\n"))},
	{"blank lines", hostile.Before("\n<discord-action>", hostile.Repeat("\n"))},
	{"blocks in code", hostile.Repeat("`<discord-action>{}</discord-action>` ")},
	{"opening capsules", hostile.Repeat("<continuation-capsule>")},
	{"closing capsules", hostile.Repeat("</continuation-capsule>")},
	{"capsules without an end", hostile.Repeat("<continuation-capsule>a: b\n")},
	{"blocks in capsules", hostile.Repeat("<continuation-capsule><discord-action>{}</continuation-capsule>")},
	{"capsules", hostile.Repeat(`<continuation-capsule>{"currentFocus":"a","nextStep":"b"}</continuation-capsule>`)},
	{"one long capsule", hostile.After("<continuation-capsule>", hostile.Before("</continuation-capsule>", hostile.Repeat("{a: b}\n")))},
	{"opened directives", hostile.Repeat("x <actions>")},
	{"leading directives", hostile.Repeat("<actions></actions>\n")},
	{"one long directive", hostile.After("<actions>", hostile.Before("</actions>", hostile.Repeat(`<react emoji="x"/>`)))},
	{"directives in code before one end", hostile.Before("</actions>", hostile.Repeat("`<actions>` "))},
	{"voices without an end", hostile.After("<actions>", hostile.Before("</actions>", hostile.Repeat("<voice>")))},
	{"tags without an end", hostile.After("<actions>", hostile.Before("</actions>", hostile.Repeat("<react ")))},
	{"attributes", hostile.After("<actions><react ", hostile.Before("/></actions>", hostile.Repeat(`a="&amp;" `)))},
	{"comments", hostile.After("<actions>", hostile.Repeat("<!-- "))},
	{"half no-replies", hostile.Repeat("<no-reply ")},
	{"no-replies", hostile.Repeat("a <no-reply/>\n")},
	{"opened signals", hostile.Repeat("[SEARCH:")},
	{"opened signals on lines", hostile.Repeat("[SEARCH:\n")},
	{"signals", hostile.Repeat("[REMEMBER:a]  ")},
	{"signals behind backticks", hostile.Repeat("`[REMEMBER:a]\n")},
	{"nested signals", func(n int) string { return strings.Repeat("[REMEMBER:", n) + strings.Repeat("]", n) }},
	{"calculations", hostile.Repeat("[CALCULATE:1+1] ")},
	{"calculations apart", hostile.Repeat("          [CALCULATE:1+1]")},
	{"links", hostile.Repeat("[SEARCH:a](")},
	{"brackets", hostile.Repeat("[")},
	{"keywords", hostile.Repeat("[LIKE]")},
	{"keywords apart", hostile.Repeat("[LIKE]     ")},
	{"keywords on lines", hostile.Repeat("[STOP]\n")},
	{"keywords in an envelope", hostile.After(`{"user":"Bo","text":"`, hostile.Before(`"}`, hostile.Repeat("[LIKE] x [STOP]")))},
	{"many actions", hostile.After(`{"text":"a","actions":["LIKE"`, hostile.Before(`]}`, hostile.Repeat(`,"KICK"`)))},
	{"many fields", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"a%d":1,`, i)
		}
		return `{"text":"a","action":"LIKE",` + b.String() + "}"
	}},
	{"a damaged envelope", hostile.After(`{"user":"Bo" `, hostile.Repeat(`"text":x `))},
	{"escapes", hostile.After(`{"user":"Bo","text":"`, hostile.Before(`"}`, hostile.Repeat(`\u003c`)))},
	{"deep payload", func(n int) string {
		return "<discord-action>" + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + "</discord-action>"
	}},
}

func growing(char, between string) hostile.Text {
	return hostile.Before("<discord-action>", hostile.Growing(char, between))
}

func TestHostileTextsAreParsedAtAll(t *testing.T) {
	skip.UnderRace(t, "a parser is a value of one goroutine")
	for _, h := range hostileTexts {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			requireOracle(t, h.text(50))
			text := h.text(100_000)
			p, _ := speaking(t, "anywhere", dialect.Names...)
			p.Parse(text)
			p.Visible(text)
			dialect.Defuse(text)
		})
	}
}

func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	if !hostile.Counted(t, "*.go", "../../chat/text.go") {
		return
	}
	p, _ := speaking(t, "anywhere", dialect.Names...)
	for _, h := range hostileTexts {
		t.Run("Parse/"+h.name, func(t *testing.T) { hostile.RequireLinear(t, h.text, func(text string) { p.Parse(text) }) })
		t.Run("Visible/"+h.name, func(t *testing.T) { hostile.RequireLinear(t, h.text, func(text string) { p.Visible(text) }) })
		t.Run("Defuse/"+h.name, func(t *testing.T) { hostile.RequireLinear(t, h.text, func(text string) { dialect.Defuse(text) }) })
	}
}
