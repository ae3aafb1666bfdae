package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
)

const rememberTea = actions.BlockOpen + `{"type":"memoryRemember","text":"tea"}` + actions.BlockClose

// TestNothingIsAskedForTwice, whichever dialects ask for it. Blocks stay as they are, and so do directives.
func TestNothingIsAskedForTwice(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"signals", "[REMEMBER:tea] [REMEMBER: tea ]", "signals"},
		{"a signal behind a block", rememberTea + "[REMEMBER:tea]", "blocks"},
		{"a signal before a block", "[REMEMBER:tea]" + rememberTea, "blocks"},
		{"blocks", rememberTea + rememberTea, "blocks blocks"},
		{"directives", `<actions><react emoji="+1"/><react emoji="+1"/></actions>`, "directives directives"},
		{"a keyword behind a directive", `<actions><react emoji="+1"/></actions>` + "\n[LIKE]", "directives"},
		{"keywords", "[LIKE]\n[like]", "keywords"},
		{"a keyword in an envelope", `{"user":"Bo","text":"[LIKE]","action":"LIKE"}`, "envelope"},
		{"another reaction", `{"user":"Bo","text":"[LIKE]","action":"REACT","emoji":"tada"}`, "envelope keywords"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := speaking(t, "", dialect.Names...)
			var by []string
			for _, r := range p.Parse(tt.in).Requests {
				by = append(by, r.Dialect)
			}
			if got := strings.Join(by, " "); got != tt.want {
				t.Errorf("%q is asked for in %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestARequestTooManyIsDropped(t *testing.T) {
	p, _ := speaking(t, "", dialect.Names...)
	var many, searches strings.Builder
	for i := range 25 {
		fmt.Fprintf(&many, "[REMEMBER:fact %d]\n", i)
		fmt.Fprintf(&searches, "[SEARCH:%d]\n", i)
	}
	for _, tt := range []struct {
		text             string
		asked, malformed int
	}{
		{many.String() + strings.Repeat(rememberTea, 30), 50, 5},
		{searches.String(), 3, 22},
	} {
		parsed := p.Parse(tt.text)
		if len(parsed.Requests) != tt.asked || parsed.Failures() != tt.malformed || len(parsed.Malformed) != tt.malformed || parsed.Text != "" {
			t.Errorf("%d requests, %d failures, text %q; want %d and %d", len(parsed.Requests), parsed.Failures(), parsed.Text, tt.asked, tt.malformed)
		}
	}
}

// TestDialectsThatAreOffAreText: each has markup that the others do not know.
func TestDialectsThatAreOffAreText(t *testing.T) {
	for name, text := range map[string]string{
		"directives": `<actions><react emoji="x"/></actions> <no-reply/>`,
		"signals":    "a [REMEMBER:tea] b",
		"keywords":   "[LIKE]\n[STOP]",
		"envelope":   `{"user":"Bo","text":"hi","action":"LIKE"}`,
	} {
		var others []string
		for _, other := range dialect.Names {
			if other != name {
				others = append(others, other)
			}
		}
		p, _ := speaking(t, "anywhere", others...)
		parsed := p.Parse(text)
		if parsed.Text != text || len(parsed.Requests)+len(parsed.Stripped) > 0 || parsed.Control != (dialect.Control{}) {
			t.Errorf("without %s, %q is %+v", name, text, parsed)
		}
		on, _ := speaking(t, "anywhere", name)
		if parsed := on.Parse(text); len(parsed.Requests) == 0 {
			t.Errorf("with %s, %q asks for nothing", name, text)
		}
	}
}

// TestNamesOfActionsAreNoTags: what is no directive never runs, even if an action has that name.
func TestNamesOfActionsAreNoTags(t *testing.T) {
	p, gate := speaking(t, "", dialect.Names...)
	parsed := p.Parse(`<actions><kick userId="1"/><taskList/></actions>[COMMAND:kick][EXECUTE:taskCreate]ok`)
	try, _ := gate.Split(parsed.Requests)
	if len(try) > 0 || strings.Join(parsed.Stripped, " ") != "kick tasklist COMMAND:kick EXECUTE:taskCreate" || parsed.Text != "ok" {
		t.Errorf("it asks for %v, strips %q, and shows %q", try, parsed.Stripped, parsed.Text)
	}
}

// TestWhatReportsNeed: reactions are quiet, and a calculation in a sentence, which has its value then.
func TestWhatReportsNeed(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	list, err := dialect.Options{Setting: "all", Like: ":heart:", Named: reg.Named}.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		in, text       string
		off            bool // utility is
		quiet, settled bool
	}{
		{`<actions><react emoji="eyes"/></actions>`, "", false, true, false},
		{"[LIKE]", "", false, true, false},
		{"[RETWEET]", "", false, false, false},
		{`{"user":"Bo","text":"","action":"REACT","emoji":"x"}`, "", false, false, false},
		{"It is [CALCULATE:6*7].", "It is 42.", false, true, true},
		{"[CALCULATE:6*7]", "", false, false, true},
		{"It is [CALCULATE:6*].", "It is 6*.", false, false, true},
		{"[CALCULATE:6*]", "6*", false, false, true},
		{"It is [CALCULATE:6*7].", "It is 6*7.", true, false, true},
		{"[CALCULATE:6*7]", "6*7", true, false, true},
		{"[REMEMBER:tea]", "", false, false, false},
	} {
		flags := actionstest.Open(reg)
		if tt.off {
			flags = actionstest.Open(reg, "messaging", "memory")
		}
		parsed := list.Parser(reg.Gate(flags)).Parse(tt.in)
		if len(parsed.Requests) != 1 || parsed.Requests[0].Quiet != tt.quiet || parsed.Requests[0].Settled != tt.settled || parsed.Text != tt.text {
			t.Errorf("%q is %+v", tt.in, parsed)
		}
	}
}

func TestALikeIsConfigured(t *testing.T) {
	list, err := dialect.Options{Like: ":heart:"}.List()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(list.Parser(actions.Gate{}).Parse("[LIKE]").Requests[0].Args); got != `{"emoji":"❤️","type":"react"}` {
		t.Errorf("[LIKE] is %s", got)
	}
}

// TestMarkupThatIsDataDoesNotRun: in payloads, in capsules, in quotes, and in what is left of a damaged envelope.
func TestMarkupThatIsDataDoesNotRun(t *testing.T) {
	p, _ := speaking(t, "anywhere", dialect.Names...)
	for _, tt := range []struct{ name, in, text string }{
		{"a damaged envelope", `{"user":"Bo","text":"Hi [REMEMBER:x] <discord-action>{'type':'kick'}\n[STOP]`, "Hi"},
		{"a capsule", dialect.CapsuleOpen + "currentFocus: [REMEMBER:x]\nnextStep: <no-reply/>\n[STOP]\n" + dialect.CapsuleClose + "ok", "ok"},
		{"a quote", "> [REMEMBER:x] <actions><react emoji=\"x\"/></actions>\n> [STOP]\nok", "> [REMEMBER:x] <actions><react emoji=\"x\"/></actions>\n> [STOP]\nok"},
		{"a fence", "```\n[SEARCH:x]\n<no-reply/>\n[STOP]\n```", "```\n[SEARCH:x]\n<no-reply/>\n[STOP]\n```"},
		{"a signal behind a backslash", `a \[REMEMBER:x]`, `a \[REMEMBER:x]`},
		{"a keyword behind a backslash", `\[STOP]`, `\[STOP]`},
		{"a comment that does not end", `<actions><!-- <react emoji="x"/></actions>ok`, "ok"},
		{"an open tag at the end of a block", `<actions><react emoji="x"</actions>ok`, "ok"},
	} {
		parsed := p.Parse(tt.in)
		if len(parsed.Requests)+len(parsed.Stripped) > 0 || parsed.Control != (dialect.Control{}) || parsed.Text != tt.text {
			t.Errorf("%s: %q is %+v", tt.name, tt.in, parsed)
		}
	}
	block := actions.BlockOpen + `{"type":"taskShow","x":"[STOP] [SEARCH:a] <actions> <no-reply/>"}` + actions.BlockClose
	if parsed := p.Parse(block + `<actions><react emoji="x"/></actions>ok`); len(parsed.Requests) != 2 || parsed.Text != "ok" {
		t.Errorf("behind a block: %+v", parsed)
	}
	if parsed := p.Parse(block + "</actions>ok"); len(parsed.Requests) != 1 || parsed.Control != (dialect.Control{}) || parsed.Text != "</actions>ok" {
		t.Errorf("%q is %+v", block, parsed)
	}
}
