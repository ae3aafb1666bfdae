package cron_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/cron"
)

func TestTakeState(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer, text, state string
		bad                       bool
	}{
		{"none", " Fine. ", "Fine.", "", false},
		{"one", "Fine.\n<cron-state>{\"n\": 1}</cron-state>", "Fine.", `{"n":1}`, false},
		{"the last wins", "<cron-state>{\"n\":1}</cron-state>a<cron-state>{\"n\":2}</cron-state>b", "ab", `{"n":2}`, false},
		{"empty", "<cron-state> {} </cron-state>", "", `{}`, false},
		{"no JSON", "a <cron-state>{n:1}</cron-state>", "a", "", true},
		{"the last is no JSON", "<cron-state>{\"n\":1}</cron-state>a<cron-state>{</cron-state>", "a", "", true},
		{"the first is no JSON", "<cron-state>{</cron-state>a<cron-state>{\"n\":1}</cron-state>", "a", `{"n":1}`, false},
		{"a list", "a<cron-state>[1]</cron-state>", "a", "", true},
		{"null", "a<cron-state>null</cron-state>", "a", "", true},
		{"a text", "a<cron-state>\"b\"</cron-state>", "a", "", true},
		{"not closed", "a <cron-state>{\"n\":1}", "a", `{"n":1}`, false},
		{"too large", "a<cron-state>{\"n\":\"" + strings.Repeat("x", cron.MaxState) + "\"}</cron-state>", "a", "", true},
		{"handed on", `<cron-state>{"n":1,"__upstream":{"state":{}}}</cron-state>`, "", `{"n":1}`, false},
	} {
		text, state, bad := cron.TakeState(tt.answer)
		if text != tt.text || string(state) != tt.state || bad != tt.bad {
			t.Errorf("%s: %q, %s, %v\nwant %q, %s, %v", tt.name, text, state, bad, tt.text, tt.state, tt.bad)
		}
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	two := []cron.Route{{"ops", "a"}, {"123", "b ] c"}}
	const list = `[{"channel":"ops","content":"a"},{"channel":"123","content":"b ] c"}]`
	for _, tt := range []struct {
		name, answer string
		want         []cron.Route
		ok           bool
	}{
		{"an array", list, two, true},
		{"nothing", " [] ", nil, true},
		{"in a code block", "```json\n" + list + "\n```", two, true},
		{"in a plain code block", "```\n" + list + "```", two, true},
		{"with prose around", "Here you are:\n" + list + "\nThat's all.", two, true},
		{"mixed entries", `[{"channel":"ops"},3,null,"x",{"channel":1,"content":"a"},{"channel":"ops","content":"a"},["ops","a"],{"channel":"123","content":"b ] c","extra":1}]`, two, true},
		{"an empty list between words", "The call said [].", nil, false},
		{"no usable entry", `["ops"]`, nil, false},
		{"a footnote", "All is well [1].", nil, false},
		{"an object", `{"channel":"ops","content":"a"}`, nil, false},
		{"an object that has a list", `{"messages":` + list + `}`, two, true},
		{"null", "null", nil, false},
		{"prose", "All is well.", nil, false},
		{"empty", "", nil, false},
		{"brackets the wrong way round", "] and [", nil, false},
	} {
		got, ok := cron.Routes(tt.answer)
		if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
			t.Errorf("%s: %v, want %v (-want +got):\n%s", tt.name, ok, tt.ok, diff)
		}
	}
}

func TestFillReplacesInOnePass(t *testing.T) {
	t.Parallel()
	const prompt = "In {{channel}} ({{channelId}}), {{channel}}: {{state}} {{other}} {{ state }}"
	got := cron.Fill(prompt, "{{state}}", "42", json.RawMessage(`{"a":"{{channelId}}"}`))
	if want := `In {{state}} (42), {{state}}: {"a":"{{channelId}}"} {{other}} {{ state }}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := cron.Fill("{{state}}", "", "", nil); got != "{}" {
		t.Errorf("no state: %s", got)
	}
}

func TestIsDull(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "HEARTBEAT_OK": true, strings.Repeat("x", 80): true, strings.Repeat("x", 81): false,
		strings.Repeat("x", 40) + strings.Repeat(" \n", 40) + strings.Repeat("x", 39): true, // blanks are collapsed
	} {
		if cron.IsDull(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestStateOf(t *testing.T) {
	t.Parallel()
	from := &cron.Upstream{Job: "cron-1"}
	for _, tt := range []struct {
		own, want string
		from      *cron.Upstream
	}{
		{"", "", nil}, {"{}", "", nil}, {`{"a":1}`, `{"a":1}`, nil},
		{"", `{"__upstream":{"fromCronId":"cron-1","state":{}}}`, from},
	} {
		if got := (cron.Fire{From: tt.from}).StateOf(cron.Job{State: json.RawMessage(tt.own)}); string(got) != tt.want {
			t.Errorf("%q: %s, want %s", tt.own, got, tt.want)
		}
	}
}
