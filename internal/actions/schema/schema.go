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
//	word      where a command has the field: first, text, lines, or what a word begins with
//	rare      "yes" for a field that prompts leave out; they say that there are more
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
	Rare     bool     // prompts leave it out
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
	fields, problems := fieldsOf(t)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &Type{Fields: fields, goType: t}, nil
}

// fieldsOf reads the fields of t.
func fieldsOf(t reflect.Type) (fields []Field, problems []error) {
	owner := map[string]string{} // wire name or alias to the Go field that accepts it
	for sf := range t.Fields() {
		var found []Field
		var wrong []error
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && sf.Tag == "" {
			found, wrong = fieldsOf(sf.Type)
			for i := range found {
				found[i].index = append([]int{sf.Index[0]}, found[i].index...)
			}
		} else {
			var f Field
			f, wrong = fieldOf(sf)
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

func fieldOf(sf reflect.StructField) (f Field, problems []error) {
	tags := sf.Tag
	name, options, _ := strings.Cut(tags.Get("json"), ",")
	f = Field{
		Name:     name,
		Doc:      tags.Get("doc"),
		Required: options == "",
		Default:  tags.Get("default"),
		Example:  tags.Get("example"),
		Rare:     tags.Get("rare") == "yes",
		Words:    commaList(tags.Get("word")),
		aliases:  commaList(tags.Get("alias")),
		index:    sf.Index,
	}
	if f.Name == "" || f.Name == "-" {
		problems = append(problems, errors.New("has no json name"))
	}
	if slices.Contains(f.names(), typeKey) {
		problems = append(problems, fmt.Errorf("%q is the action's own name", typeKey))
	}
	if rare, tagged := tags.Lookup("rare"); tagged && !f.Rare {
		problems = append(problems, fmt.Errorf(`rare is "yes" or left out, not %q`, rare))
	}
	if f.Rare && f.Required {
		problems = append(problems, errors.New("prompts cannot leave out a required field"))
	}
	if !strings.HasSuffix(f.Doc, ".") {
		problems = append(problems, fmt.Errorf("doc must be a sentence with a full stop, not %q", f.Doc))
	}
	shape, wrong := shapeOf(sf.Type, tags)
	f.Shape = shape
	return f, append(problems, wrong...)
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

// bound reads the limit in a tag, nil when there is none.
func bound(tags reflect.StructTag, key string) (*float64, error) {
	text, ok := tags.Lookup(key)
	if !ok {
		return nil, nil
	}
	n, ok := decimal(text)
	if !ok {
		return nil, fmt.Errorf("%s: %q is not a number", key, text)
	}
	return &n, nil
}

func commaList(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
