package dialect_test

import (
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
)

func TestSettingsOfDialects(t *testing.T) {
	reg := catalogue(t)
	gate := reg.Gate(actionstest.Open(reg))
	for _, tt := range []struct{ setting, want, taught string }{
		{"", "blocks directives signals keywords", ""},
		{" ", "blocks directives signals keywords", ""},
		{"none", "blocks", ""},
		{"All", "blocks envelope directives signals keywords", "JSON object, <actions>, signals, Keywords"},
		{" Signals , ,directives", "blocks directives signals", "<actions>, signals"},
		{"keywords,keywords", "blocks keywords", "Keywords"},
		{"envelope", "blocks envelope", "JSON object"},
	} {
		list, err := dialect.Options{Setting: tt.setting, Named: reg.Named}.List()
		if err != nil {
			t.Errorf("%q: %v", tt.setting, err)
			continue
		}
		var names []string
		for _, d := range list {
			names = append(names, d.Name())
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.setting, got, tt.want)
		}
		taught := list.Teach(gate)
		if (taught == "") != (tt.taught == "") {
			t.Errorf("%q teaches %q", tt.setting, taught)
		}
		for word := range strings.SplitSeq(tt.taught, ", ") {
			if !strings.Contains(taught, word) {
				t.Errorf("%q teaches %q, without %q", tt.setting, taught, word)
			}
		}
	}
}

func TestMistakesInTheOptions(t *testing.T) {
	taken := func(name string) (string, bool) { return "mute", actions.FoldName(name) == "muteroom" }
	for _, tt := range []struct {
		o    dialect.Options
		want string
	}{
		{dialect.Options{Setting: "signals,smoke"}, `there is no dialect "smoke"; write all, none, or some of directives, signals, keywords, envelope`},
		{dialect.Options{Setting: "all,signals"}, `there is no dialect "all"`},
		{dialect.Options{Setting: "envelope", Named: taken}, "the action mute answers to MUTE_ROOM"},
	} {
		if _, err := tt.o.List(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.o, err, tt.want)
		}
	}
}

// TestOnlyWhatRunsIsTaught: in a direct message, where nothing runs, that is silence.
func TestOnlyWhatRunsIsTaught(t *testing.T) {
	reg := catalogue(t)
	list, err := dialect.Options{Setting: "directives,signals,keywords", Named: reg.Named}.List()
	if err != nil {
		t.Fatal(err)
	}
	closed := list.Teach(reg.Gate(actionstest.Open(reg, "none")))
	for _, form := range []string{"<no-reply/>", "[IGNORE]", "[STOP]"} {
		if !strings.Contains(closed, form) {
			t.Errorf("%q does not teach %s", closed, form)
		}
	}
	for _, form := range []string{"<actions>", "[SEARCH", "[LIKE]", "[REPLY]", "[CALCULATE"} {
		if strings.Contains(closed, form) {
			t.Errorf("%q teaches %s", closed, form)
		}
	}
	some := list.Teach(reg.Gate(actionstest.Open(reg, "memory")))
	if !strings.Contains(some, "[REMEMBER:fact]") || strings.Contains(some, "[SEARCH:") || strings.Contains(some, "<react") {
		t.Errorf("with memory alone, it teaches %q", some)
	}
}

// TestExamplesInThePromptAreUnderstood: what is taught is what is parsed.
func TestExamplesInThePromptAreUnderstood(t *testing.T) {
	p, gate := speaking(t, "", dialect.Names...)
	for _, tt := range []struct{ in, types string }{
		{`<actions><react emoji="eyes"/><send-file path="a.txt" caption="b"/><send-message channel="ops">c</send-message><voice>d</voice></actions>`, "react sendFile sendMessage voiceNote"},
		{"[SEARCH:a] [SEARCH_EPISODIC:a] [REMEMBER:a] [FORGET_THIS:b] [CORRECT:c=>d] [CALCULATE:1+1] [REQUEST_TIER:1:a] [COMMAND:summarize_conversation]",
			"webSearch memorySearch memoryRemember memoryForget memoryForget memoryRemember calculate memoryTier conversationSummary"},
		{"[LIKE] [RETWEET] [QUOTE] [REPLY] [STOP]", "react crosspost"},
		{`{"user":"Bo","text":"a","action":"taskShow","params":{"taskId":"ws-1"}}`, "taskShow"},
	} {
		try, _ := gate.Split(p.Parse(tt.in).Requests)
		var types []string
		for _, r := range try {
			types = append(types, r.Type)
		}
		if got := strings.Join(types, " "); got != tt.types {
			t.Errorf("%s asks for %s, want %s", tt.in, got, tt.types)
		}
	}
}
