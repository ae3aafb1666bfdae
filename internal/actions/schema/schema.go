// Package schema reads an action's input struct once and answers every question
// about it: how to decode what a model wrote, what is wrong with it, how to teach
// it, and its JSON Schema.
//
// Start with [Of], which reads the struct's tags and refuses a struct that leaves
// a question open, and [Type.Decode], which is forgiving about form and strict
// about meaning. The tags:
//
//	json      wire name; without omitempty or omitzero the field is required
//	doc       one sentence for the model and the reference; compulsory
//	alias     other wire names accepted on input, never advertised
//	enum      closed choices, separated by commas; of a list, what its items may be;
//	          a text type with a Choices() []string method needs no such tag
//	min, max  range of a number, length of a text, count of a list
//	default   what an absent optional field becomes
//	example   a value worth showing
//	rare      stems of words; without one of them in the turn, the model is not told of
//	          the field beforehand
//
// Lengths of text are counted as Discord counts them (see chat.Length), since
// nearly all such limits are Discord's.
package schema

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// typeKey is the member of a request that names the action. No field may take it.
const typeKey = "type"

// A Type is what one input struct accepts.
type Type struct {
	Fields []Field // in the order of the struct

	goType reflect.Type
}

// A Field is one member of an input.
type Field struct {
	Name     string
	Doc      string
	Required bool
	Default  string   // as written in the tag, empty when there is none
	Example  string   // as written in the tag, empty when there is none
	Rare     []string // stems of words at which it is explained; nil for a field that always is
	Words    []string // where a command has it: "first", "text", "lines", or what a word begins with
	Shape

	aliases []string
	index   []int // for reflect.Value.FieldByIndex
}

// Of reads the tags of a struct. The error lists everything that is wrong with them.
func Of(t reflect.Type) (*Type, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	fields, problems := fieldsOf(t, nil)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &Type{Fields: fields, goType: t}, nil
}

// fieldsOf reads the fields of t. Parents are the structs around it, so that a
// type that contains itself is refused instead of followed for ever.
func fieldsOf(t reflect.Type, parents []reflect.Type) (fields []Field, problems []error) {
	if slices.Contains(parents, t) {
		return nil, []error{fmt.Errorf("%s contains itself", t)}
	}
	parents = append(slices.Clip(parents), t)
	owner := map[string]string{} // wire name or alias to the Go field that accepts it
	for sf := range t.Fields() {
		var found []Field
		var wrong []error
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && sf.Tag == "" {
			found, wrong = fieldsOf(sf.Type, parents)
			for i := range found {
				found[i].index = append([]int{sf.Index[0]}, found[i].index...)
			}
		} else {
			var f Field
			f, wrong = fieldOf(sf, parents)
			found = []Field{f}
		}
		for _, f := range found {
			for _, name := range f.names() {
				if other, taken := owner[name]; taken {
					wrong = append(wrong, fmt.Errorf("accepts %q, as %s does", name, other))
				}
				owner[name] = sf.Name
			}
		}
		for _, err := range wrong {
			problems = append(problems, fmt.Errorf("%s.%s: %w", t.Name(), sf.Name, err))
		}
		fields = append(fields, found...)
	}
	return fields, problems
}

// names are all wire names that the field accepts.
func (f *Field) names() []string { return append([]string{f.Name}, f.aliases...) }

func fieldOf(sf reflect.StructField, parents []reflect.Type) (Field, []error) {
	tags, err := readTags(sf.Tag)
	if err != nil {
		return Field{}, []error{err}
	}
	f := Field{
		Doc:     tags["doc"],
		Default: tags["default"],
		Example: tags["example"],
		Rare:    commaList(tags["rare"]),
		Words:   commaList(tags["word"]),
		aliases: commaList(tags["alias"]),
		index:   sf.Index,
	}
	var problems []error
	complain := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if f.Name, f.Required, err = wireName(tags["json"]); err != nil {
		problems = append(problems, err)
	}
	if !sf.IsExported() {
		complain("is not exported")
	}
	if slices.Contains(f.names(), typeKey) {
		complain("%q is the action's own name", typeKey)
	}
	if !strings.HasSuffix(f.Doc, ".") {
		complain("doc must be a sentence with a full stop, not %q", f.Doc)
	}
	if _, isOpt := optInner(sf.Type); isOpt && strings.HasSuffix(tags["json"], ",omitempty") {
		complain("an Opt needs omitzero in its json tag, or neither if it is required")
	}
	shape, wrong := shapeOf(sf.Type, tags, parents)
	f.Shape = shape
	if len(wrong) == 0 {
		wrong = f.checkSamples(sf.Type)
	}
	return f, append(problems, wrong...)
}

// checkSamples makes sure that the default and the example are values the field
// itself would accept.
func (f *Field) checkSamples(t reflect.Type) []error {
	if (f.Default != "" || f.Example != "") && (f.Kind == List || f.Kind == Object) {
		return []error{errors.New("default and example are for single values; show a list or an object in Spec.Examples")}
	}
	if f.Default != "" && f.Required {
		return []error{errors.New("a required field cannot have a default; say omitempty or omitzero in its json tag")}
	}
	var problems []error
	for _, sample := range []struct{ tag, text string }{{"default", f.Default}, {"example", f.Example}} {
		if sample.text == "" {
			continue
		}
		var d decoding
		d.value(&f.Shape, f.literal(sample.text), reflect.New(t).Elem(), sample.tag)
		if err := d.err(); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// literal is a tag's text as JSON.
func (f *Field) literal(text string) []byte {
	if f.Kind != Text {
		return []byte(text)
	}
	quoted, err := marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return quoted
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	messageRef      = reflect.TypeFor[interface{ ID() chat.MessageID }]()
)
