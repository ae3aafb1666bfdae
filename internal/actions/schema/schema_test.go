package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"discoclaw/internal/actions/schema"
)

// A hue parses its own text.
type hue struct{ name string }

func (h *hue) UnmarshalText(text []byte) error {
	name := strings.TrimLeft(string(text), "# ")
	if name == "none" {
		return errors.New("none is not a hue")
	}
	h.name = name
	return nil
}

func (h hue) MarshalText() ([]byte, error) { return []byte(h.name), nil }

type level string

func (level) Choices() []string { return []string{"low", "high"} }

type target struct {
	Channel string `json:"channel" alias:"channelId,chan" doc:"Where."`
}

type emoji struct {
	ID   string `json:"id,omitempty" doc:"Of a custom one."`
	Name string `json:"name" doc:"Its name."`
}

type labels []string

// sample has a field of every kind.
type sample struct {
	target
	Text    string             `json:"text,omitempty" doc:"Words." max:"10"`
	Count   int                `json:"count,omitempty" doc:"How many." min:"1" max:"20" default:"10"`
	Ratio   float64            `json:"ratio,omitempty" doc:"How much." min:"0" example:"0.5"`
	On      bool               `json:"on,omitempty" doc:"Whether."`
	Size    string             `json:"size,omitempty" doc:"How big." enum:"S, M, XL"`
	Level   level              `json:"level,omitempty" doc:"How loud."`
	Hue     hue                `json:"hue,omitzero" doc:"Which colour."`
	Tags    []string           `json:"tags,omitempty" doc:"Which labels." max:"3"`
	Sizes   []string           `json:"sizes,omitempty" doc:"Which sizes." enum:"S,M"`
	Emoji   emoji              `json:"emoji,omitzero" doc:"Its picture."`
	Parents []emoji            `json:"parents,omitempty" doc:"Other pictures."`
	Clear   schema.Opt[string] `json:"clear,omitzero" doc:"Empty clears it." enum:"json"`
	Limit   schema.Opt[int]    `json:"limit,omitzero" doc:"At most." min:"1"`
	Labels  schema.Opt[labels] `json:"labels,omitzero" doc:"Empty removes all."`
}

func of[T any]() (*schema.Type, error) { return schema.Of(reflect.TypeFor[T]()) }

func mustOf[T any](t testing.TB) *schema.Type {
	t.Helper()
	typ, err := of[T]()
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

var compare = cmp.Options{cmp.AllowUnexported(hue{}, sample{}), cmpopts.EquateEmpty()}

func TestDecode(t *testing.T) {
	typ := mustOf[sample](t)
	base := sample{target: target{Channel: "ops"}, Count: 10}
	with := func(change func(*sample)) sample {
		s := base
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name, in string
		want     sample
		ignored  []string
	}{
		{"only what is required", `{"type":"x","channel":"ops"}`, base, nil},
		{"an alias", `{"channelId":"ops"}`, base, nil},
		{"the name wins over its alias", `{"chan":"no","channel":"ops"}`, base, nil},
		{"an alias stands in for null", `{"channel":null,"chan":"ops"}`, base, nil},
		{"the last of two equal keys", `{"channel":"no","channel":"ops"}`, base, nil},
		{"keys are compared exactly", `{"channel":"ops","Text":"x"}`, base, []string{"Text"}},
		{"a number for a text keeps its digits", `{"channel":123456789012345678901}`, with(func(s *sample) { s.Channel = "123456789012345678901" }), nil},
		{"a text for an integer", `{"channel":"ops","count":" 7 "}`, with(func(s *sample) { s.Count = 7 }), nil},
		{"a whole float for an integer", `{"channel":"ops","count":1.2e1}`, with(func(s *sample) { s.Count = 12 }), nil},
		{"a text for a number", `{"channel":"ops","ratio":"0.25"}`, with(func(s *sample) { s.Ratio = 0.25 }), nil},
		{"a text for a boolean", `{"channel":"ops","on":"True"}`, with(func(s *sample) { s.On = true }), nil},
		{"a digit for a boolean", `{"channel":"ops","on":1}`, with(func(s *sample) { s.On = true }), nil},
		{"an enum in another case", `{"channel":"ops","size":" xl"}`, with(func(s *sample) { s.Size = "XL" }), nil},
		{"choices of the type", `{"channel":"ops","level":"HIGH"}`, with(func(s *sample) { s.Level = "high" }), nil},
		{"a grammar of its own", `{"channel":"ops","hue":"#red"}`, with(func(s *sample) { s.Hue = hue{"red"} }), nil},
		{"a single value for a list", `{"channel":"ops","tags":"a"}`, with(func(s *sample) { s.Tags = []string{"a"} }), nil},
		{"a list of numbers for texts", `{"channel":"ops","tags":[1,"b"]}`, with(func(s *sample) { s.Tags = []string{"1", "b"} }), nil},
		{"an object", `{"channel":"ops","emoji":{"name":"fire","x":1}}`, with(func(s *sample) { s.Emoji = emoji{Name: "fire"} }), []string{"emoji.x"}},
		{"a list of objects", `{"channel":"ops","parents":[{"name":"a"},{"name":"b"}]}`, with(func(s *sample) { s.Parents = []emoji{{Name: "a"}, {Name: "b"}} }), nil},
		{"blank optional fields are absent", `{"channel":"ops","text":" ","count":"","size":"","hue":"","tags":[]}`, base, nil},
		{"null is absent", `{"channel":"ops","count":null,"emoji":null}`, base, nil},
		{"an Opt that is given", `{"channel":"ops","clear":"json","limit":3}`, with(func(s *sample) { s.Clear = schema.Some("json"); s.Limit = schema.Some(3) }), nil},
		{"an Opt that is cleared", `{"channel":"ops","clear":""}`, with(func(s *sample) { s.Clear = schema.Some("") }), nil},
		{"an Opt list that is cleared", `{"channel":"ops","labels":[]}`, with(func(s *sample) { s.Labels = schema.Some(labels{}) }), nil},
		{"an Opt list that is cleared with a blank text", `{"channel":"ops","labels":" "}`, with(func(s *sample) { s.Labels = schema.Some(labels{}) }), nil},
		{"a blank Opt number is absent", `{"channel":"ops","limit":""}`, base, nil},
		{"length counted as Discord does", `{"channel":"ops","text":"🔥🔥🔥🔥🔥"}`, with(func(s *sample) { s.Text = "🔥🔥🔥🔥🔥" }), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := typ.Decode(json.RawMessage(tt.in))
			if err != nil {
				t.Fatalf("Decode(%s): %v", tt.in, err)
			}
			if diff := cmp.Diff(tt.want, got.Value, compare); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", tt.in, diff)
			}
			if diff := cmp.Diff(tt.ignored, got.Ignored, compare); diff != "" {
				t.Errorf("ignored keys of %s (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestDecodeNamesEveryProblem(t *testing.T) {
	typ := mustOf[sample](t)
	for _, tt := range []struct{ name, in, want string }{
		{"nothing at all", ``, "channel: missing"},
		{"not an object", `[]`, "must be an object, not a list"},
		{"blank", `{"channel":" "}`, "channel: empty"},
		{"several at once", `{"text":"too long a text","count":0,"size":"L"}`,
			`channel: missing; text: has 15 characters, must have at most 10; count: 0 is not 1 to 20; size: "L" is not one of S, M, XL`},
		{"a misspelled key", `{"chanel":"ops"}`, `channel: missing; unknown field "chanel" was ignored`},
		{"an object for a text", `{"channel":{"id":1}}`, "channel: must be text, not an object"},
		{"a boolean for a text", `{"channel":true}`, "channel: must be text, not true"},
		{"a fraction for an integer", `{"channel":"a","count":2.5}`, "count: must be a whole number, not 2.5"},
		{"words for an integer", `{"channel":"a","count":"many"}`, `count: must be a whole number, not "many"`},
		{"an integer that does not fit", `{"channel":"a","limit":99999999999999999999}`, "limit: must be a whole number, not 99999999999999999999"},
		{"words for a number", `{"channel":"a","ratio":"inf"}`, `ratio: must be a number, not "inf"`},
		{"a number in hexadecimal", `{"channel":"a","ratio":"0x1p4","count":"0x5"}`, `count: must be a whole number, not "0x5"; ratio: must be a number, not "0x1p4"`},
		{"more than anyone would read", `{"channel":"a","tags":[""` + strings.Repeat(`,""`, 2) + `],"parents":[{}` + strings.Repeat(`,{}`, 20) + `]}`,
			"tags[0]: empty; tags[1]: empty; tags[2]: empty; parents[0].name: missing; parents[1].name: missing; parents[2].name: missing; parents[3].name: missing; parents[4].name: missing; parents[5].name: missing; parents[6].name: missing; and 14 more"},
		{"a number out of range", `{"channel":"a","ratio":-0.5}`, "ratio: -0.5 is not at least 0"},
		{"words for a boolean", `{"channel":"a","on":"yes"}`, `on: must be true or false, not "yes"`},
		{"a grammar that refuses", `{"channel":"a","hue":"none"}`, "hue: none is not a hue"},
		{"too many items", `{"channel":"a","tags":["a","b","c","d"]}`, "tags: has 4 items, must have at most 3"},
		{"blank and misfit items", `{"channel":"a","tags":["a",""],"sizes":["S","L"]}`, `tags[1]: empty; sizes[1]: "L" is not one of S, M`},
		{"inside an object", `{"channel":"a","emoji":{"id":"1"}}`, "emoji.name: missing"},
		{"inside a list of objects", `{"channel":"a","parents":[{"name":"x"},{}]}`, "parents[1].name: missing"},
		{"a scalar for an object", `{"channel":"a","emoji":5}`, `emoji: must be an object, not 5`},
		{"an Opt out of range", `{"channel":"a","limit":0}`, "limit: 0 is not at least 1"},
		{"surrogates count twice", `{"channel":"a","text":"🔥🔥🔥🔥🔥🔥"}`, "text: has 12 characters, must have at most 10"},
		{"a long value is clipped", `{"channel":"a","size":"` + strings.Repeat("y", 70) + `"}`, `size: "` + strings.Repeat("y", 60) + `…" is not one of S, M, XL`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := typ.Decode(json.RawMessage(tt.in))
			var invalid *schema.Invalid
			if !errors.As(err, &invalid) || err.Error() != tt.want {
				t.Errorf("Decode(%s):\n got %v\nwant %s", tt.in, err, tt.want)
			}
		})
	}
}

func TestOfRefusesWhatIsLeftOpen(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   func() (*schema.Type, error)
		want string
	}{
		{"no doc", of[struct {
			A string `json:"a"`
		}], "doc must be a sentence"},
		{"no json name", of[struct {
			A string `doc:"A."`
		}], "has no json name"},
		{"hidden from json", of[struct {
			A string `json:"-" doc:"A."`
		}], "has no json name"},
		{"called type", of[struct {
			A string `json:"type" doc:"A."`
		}], `"type" is the action's own name`},
		{"type as alias", of[struct {
			A string `json:"a" alias:"type" doc:"A."`
		}], `"type" is the action's own name`},
		{"limit that is no number", of[struct {
			A string `json:"a" doc:"A." max:"lots"`
		}], `max: "lots" is not a number`},
		{"two fields of one name", of[struct {
			A string `json:"a" doc:"A."`
			B string `json:"b" alias:"a" doc:"B."`
		}], `B: accepts "a", as A does`},
		{"an alias of itself", of[struct {
			A string `json:"a" alias:"a" doc:"A."`
		}], `A: accepts "a", as A does`},
		{"a limit that is not finite", of[struct {
			A int `json:"a" doc:"A." min:"NaN"`
		}], `min: "NaN" is not a number`},
		{"rare, but not yes", of[struct {
			A string `json:"a,omitempty" rare:"tag" doc:"A."`
		}], `rare is "yes" or left out, not "tag"`},
		{"rare, but required", of[struct {
			A string `json:"a" rare:"yes" doc:"A."`
		}], "prompts cannot leave out a required field"},
		{"a type that is no input", of[struct {
			A map[string]int `json:"a" doc:"A."`
		}], "a map[string]int cannot be an input"},
		{"not a struct", of[int], "int is not a struct"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := tt.of(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestOfNamesTheFieldOfEveryProblem(t *testing.T) {
	type inner struct {
		C int `json:"c" doc:"C" max:"x"`
	}
	type flawed struct {
		A string  `doc:"A"`
		B []inner `json:"b" doc:"B."`
	}
	_, err := of[flawed]()
	want := strings.Join([]string{
		"flawed.A: has no json name",
		`flawed.A: doc must be a sentence with a full stop, not "A"`,
		`flawed.B: inner.C: doc must be a sentence with a full stop, not "C"`,
		`flawed.B: inner.C: max: "x" is not a number`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
}

// drawSample makes inputs that fit.
func drawSample(t *rapid.T) sample {
	word := rapid.StringMatching(`[a-zé🔥]{1,5}`)
	s := sample{
		target: target{Channel: word.Draw(t, "channel")},
		Text:   rapid.SampledFrom([]string{"", "hi", "<b> & c"}).Draw(t, "text"),
		Count:  rapid.IntRange(1, 20).Draw(t, "count"),
		Ratio:  rapid.Float64Range(0, 1e9).Draw(t, "ratio"),
		On:     rapid.Bool().Draw(t, "on"),
		Size:   rapid.SampledFrom([]string{"", "S", "M", "XL"}).Draw(t, "size"),
		Level:  rapid.SampledFrom([]level{"", "low", "high"}).Draw(t, "level"),
		Tags:   rapid.SliceOfN(word, 0, 3).Draw(t, "tags"),
		Sizes:  rapid.SliceOf(rapid.SampledFrom([]string{"S", "M"})).Draw(t, "sizes"),
	}
	if rapid.Bool().Draw(t, "with objects") {
		s.Emoji = emoji{Name: word.Draw(t, "emoji")}
		s.Parents = []emoji{{ID: "1", Name: word.Draw(t, "parent")}}
		s.Limit = schema.Some(rapid.IntRange(1, 9).Draw(t, "limit"))
		s.Hue = hue{"red"}
	}
	return s
}

// TestOneSource holds the views of a struct against each other: what is encoded
// decodes to the same, and fits the exported JSON Schema.
func TestOneSource(t *testing.T) {
	typ := mustOf[sample](t)
	validator := compile(t, typ.JSONSchema())
	rapid.Check(t, func(t *rapid.T) {
		in := drawSample(t)
		raw, err := schema.Encode("x", in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := typ.Decode(raw)
		if err != nil {
			t.Fatalf("decode %s: %v", raw, err)
		}
		if diff := cmp.Diff(in, out.Value, compare); diff != "" {
			t.Fatalf("%s decodes to something else (-in +out):\n%s", raw, diff)
		}
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		if err := validator.Validate(instance); err != nil {
			t.Fatalf("%s does not fit its own schema: %v", raw, err)
		}
	})
}

func compile(t testing.TB, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sample.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sample.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestARequiredOptMayBeEmpty: it has to be there, and an empty text means something.
func TestARequiredOptMayBeEmpty(t *testing.T) {
	t.Parallel()
	type rename struct {
		Name schema.Opt[string] `json:"name" doc:"New name; empty for none." max:"5"`
	}
	typ := mustOf[rename](t)
	validator := compile(t, typ.JSONSchema())
	for _, tt := range []struct {
		in   string
		want schema.Opt[string]
		fits bool
	}{
		{`{"name":"x"}`, schema.Some("x"), true},
		{`{"name":""}`, schema.Some(""), true},
		{`{}`, schema.Opt[string]{}, false},
		{`{"name":"too long"}`, schema.Opt[string]{}, false},
	} {
		got, err := typ.Decode(json.RawMessage(tt.in))
		if (err == nil) != tt.fits || err == nil && got.Value.(rename).Name != tt.want {
			t.Errorf("%s: %+v, %v", tt.in, got.Value, err)
		}
		var v any
		if err := json.Unmarshal([]byte(tt.in), &v); err != nil {
			t.Fatal(err)
		}
		if err := validator.Validate(v); (err == nil) != tt.fits {
			t.Errorf("%s: the JSON Schema says %v", tt.in, err)
		}
	}
}

func TestJSONSchemaKeepsTheOrderOfTheStruct(t *testing.T) {
	raw := string(mustOf[sample](t).JSONSchema())
	at := -1
	for _, name := range []string{"channel", "text", "count", "ratio", "on", "size", "level", "hue", "tags", "sizes", "emoji", "parents", "clear", "limit", "labels"} {
		i := strings.Index(raw, fmt.Sprintf("%q:{", name))
		if i < at {
			t.Errorf("%s is out of place in %s", name, raw)
		}
		at = i
	}
	if !strings.Contains(raw, `"required":["channel"]`) {
		t.Errorf("only channel should be required in %s", raw)
	}
}

// BenchmarkDecode shows that the cost of a byte stays the same for inputs that are
// hostile, and longer.
func BenchmarkDecode(b *testing.B) {
	typ := mustOf[sample](b)
	for _, shape := range []struct {
		name string
		args func(n int) string
	}{
		{"ordinary", func(int) string { return `{"type":"x","channel":"ops","count":"7","tags":["a","b"]}` }},
		{"unknown_keys", func(n int) string {
			var s strings.Builder
			for i := range n {
				fmt.Fprintf(&s, `,"k%d":1`, i)
			}
			return `{"channel":"a"` + s.String() + `}`
		}},
		{"objects_with_unknown_keys", func(n int) string {
			return `{"channel":"a","parents":[{"name":"p"}` + strings.Repeat(`,{"name":"p","x":1}`, n) + `]}`
		}},
		{"blank_items", func(n int) string { return `{"channel":"a","sizes":["S"` + strings.Repeat(`,""`, n) + `]}` }},
		{"deep", func(n int) string {
			return `{"channel":"a","x":` + strings.Repeat("[", n%9000) + strings.Repeat("]", n%9000) + `}`
		}},
	} {
		for _, n := range []int{100, 10_000} {
			args := []byte(shape.args(n))
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					// Some of these are refused; that takes time too.
					if d, err := typ.Decode(args); err == nil && d.Value == nil {
						b.Fatal("nothing decoded")
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(args)), "ns/B")
			})
		}
	}
}

func FuzzDecode(f *testing.F) {
	typ := mustOf[sample](f)
	for _, seed := range []string{
		`{"type":"x","channel":"ops"}`, `{"channelId":123,"count":"7","tags":"a"}`,
		`{"channel":"a","emoji":{"name":"fire"},"parents":[{"name":"x"}],"clear":""}`,
		`{"channel":"a","hue":"#red","limit":1e2,"on":"false","sizes":["s"]}`,
		`null`, `[]`, `{`, `{"channel":"\ud800"}`, `{"count":1e999999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		decoded, err := typ.Decode(args)
		if err != nil {
			if err.Error() == "" {
				t.Errorf("Decode(%q) fails without a word", args)
			}
			return
		}
		raw, err := schema.Encode("x", decoded.Value)
		if err != nil {
			t.Fatalf("encode %+v: %v", decoded.Value, err)
		}
		again, err := typ.Decode(raw)
		if err != nil {
			t.Fatalf("what %q decodes to is encoded as %s, which fails: %v", args, raw, err)
		}
		if diff := cmp.Diff(decoded.Value, again.Value, compare); diff != "" {
			t.Fatalf("%q is not the same after encoding (-once +twice):\n%s", args, diff)
		}
	})
}
