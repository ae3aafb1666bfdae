package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/test/skip"
)

// TestNothingOutsideTheGateIsRun sends random text and function calls the whole way, with and
// without the step that takes out what is not allowed.
func TestNothingOutsideTheGateIsRun(t *testing.T) {
	skip.UnderRace(t, "a parser is a value of one goroutine")
	var ran map[string]int
	reg := actionstest.Registry(t, actionstest.Catalogue(func(name string) { ran[name]++ })...)
	var categories, types []string
	for c, a := range reg.All() {
		types = append(types, a.Name)
		if len(categories) == 0 || categories[len(categories)-1] != c.Name() {
			categories = append(categories, c.Name())
		}
	}
	list, err := dialect.Options{Setting: "all", Position: "anywhere", Named: reg.Named}.List()
	if err != nil {
		t.Fatal(err)
	}
	dispatcher := actions.NewDispatcher(actions.DispatcherOptions{})
	rapid.Check(t, func(t *rapid.T) {
		on := rapid.SliceOf(rapid.SampledFrom(categories)).Draw(t, "on")
		narrow := []actions.Narrowing{actions.AtDepth(rapid.IntRange(0, 1).Draw(t, "depth"))}
		if rapid.Bool().Draw(t, "with a list") {
			narrow = append(narrow, actions.Only(rapid.SliceOf(rapid.SampledFrom(types)).Draw(t, "list"), "not listed"))
		}
		gate := reg.Gate(actionstest.Open(reg, append(on, "none")...), narrow...)
		allowed := map[string]bool{}
		for _, a := range gate.Allowed() {
			allowed[a.Name] = true
		}
		piece := rapid.OneOf(rapid.SampledFrom(dialectPieces), rapid.Map(rapid.SampledFrom(types), func(name string) string {
			return `<discord-action>{"type":"` + name + `","planId":"ws-1"}</discord-action>`
		}), rapid.Map(rapid.SampledFrom(types), func(name string) string {
			return `<actions><` + name + ` planId="ws-1"/></actions>`
		}), rapid.Map(rapid.SampledFrom(types), func(name string) string { return "[COMMAND:" + name + "]" }))
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), "")

		if rapid.Bool().Draw(t, "in an envelope") {
			object, err := json.Marshal(map[string]any{"user": "Bo", "text": text, "actions": rapid.SliceOf(rapid.SampledFrom(types)).Draw(t, "named")})
			if err != nil {
				t.Fatal(err)
			}
			text = string(object)
		}

		parsed := list.Parser(gate).Parse(text)
		parsed.AddCalls(drawCalls(t, types))
		requests := parsed.Requests
		requireOnce(t, text, requests)
		try, _ := gate.Split(requests)
		for _, r := range try {
			if gate.Verdict(r.Type).Decision == actions.Stripped {
				t.Fatalf("%s is let through from %q", r.Type, text)
			}
		}
		for _, reqs := range [][]actions.Request{try, requests} {
			ran = map[string]int{}
			outs := dispatcher.Execute(t.Context(), actions.Origin{}, gate, reqs)
			done := map[string]int{}
			for _, o := range outs {
				if o.Err == nil {
					done[o.Request.Type]++
				}
			}
			for name, n := range ran {
				if !allowed[name] {
					t.Fatalf("%s ran from %q", name, text)
				}
				if done[name] != n {
					t.Fatalf("%s ran %d times and was reported done %d times", name, n, done[name])
				}
			}
		}
	})
}

// drawCalls draws function calls, some of them of what the text may ask for as well.
func drawCalls(t *rapid.T, types []string) []dialect.Call {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) dialect.Call {
		return dialect.Call{
			ID:    rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "id"),
			Name:  rapid.OneOf(rapid.SampledFrom(types), rapid.String()).Draw(t, "name"),
			Input: json.RawMessage(rapid.OneOf(rapid.SampledFrom([]string{`{"planId":"ws-1"}`, `{}`, ``, `{"type":"planApprove"}`, `{`}), rapid.String()).Draw(t, "input")),
		}
	}), 0, 6).Draw(t, "calls")
}

// requireOnce fails if two dialects ask for the same, or a signal, keyword or function call does twice.
func requireOnce(t *rapid.T, text string, requests []actions.Request) {
	first := map[string]string{}
	others := 0
	for _, r := range requests {
		key := r.Type + r.Arguments()
		by, again := first[key]
		if again && (by != r.Dialect || by == "signals" || by == "keywords" || by == "native") {
			t.Fatalf("%q asks twice for %s, in %s and %s", text, key, by, r.Dialect)
		}
		first[key] = r.Dialect
		if r.Dialect != "blocks" && r.Dialect != "native" {
			others++
		}
	}
	if others > 20 {
		t.Fatalf("%q asks for %d things", text, others)
	}
}
