package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A Kind is the JSON form of a value.
type Kind uint8

const (
	Text Kind = iota + 1
	Integer
	Number
	Boolean
	List
	Object
)

// String is JSON Schema's word for k.
func (k Kind) String() string {
	switch k {
	case Text:
		return "string"
	case Integer:
		return "integer"
	case Number:
		return "number"
	case Boolean:
		return "boolean"
	case List:
		return "array"
	case Object:
		return "object"
	}
	return "unknown"
}

// A chooser is a text type that knows its own closed list of values, so that no
// enum tag has to repeat it.
type chooser interface{ Choices() []string }

// A Shape is the form a value must have.
type Shape struct {
	Kind     Kind
	Enum     []string // of a text: the only values it may have
	Min, Max *float64 // of a number its range, of a text its length, of a list its count
	Item     *Shape   // of a list
	Fields   []Field  // of an object

	Type reflect.Type // the Go type, inside of an Opt

	// Message says that the value is a reference to a message: the Go type yields a message's ID.
	Message bool

	optional bool // the Go value is an Opt
	grammar  bool // the Go value parses its own text
}

// Fits reports whether a number is within the range of the field.
func (s Shape) Fits(n int) bool { return s.within(float64(n)) }

func shapeOf(t reflect.Type, tags reflect.StructTag) (s Shape, problems []error) {
	var err error
	if s.Min, err = bound(tags, "min"); err != nil {
		problems = append(problems, err)
	}
	if s.Max, err = bound(tags, "max"); err != nil {
		problems = append(problems, err)
	}
	if inner, ok := optInner(t); ok {
		s.optional, t = true, inner
	}
	problems = append(problems, s.read(t)...)
	if enum := commaList(tags.Get("enum")); len(enum) > 0 {
		text := &s
		if s.Kind == List {
			text = s.Item
		}
		text.Enum = enum
	}
	return s, problems
}

// read fills in what the Go type says.
func (s *Shape) read(t reflect.Type) (problems []error) {
	s.Type = t
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		s.Kind, s.grammar, s.Message = Text, true, t.Implements(messageRef)
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		s.Kind = Text
		if c, ok := reflect.Zero(t).Interface().(chooser); ok {
			s.Enum = c.Choices()
		}
	case reflect.Int, reflect.Int64:
		s.Kind = Integer
	case reflect.Float64:
		s.Kind = Number
	case reflect.Bool:
		s.Kind = Boolean
	case reflect.Slice:
		s.Kind = List
		s.Item = new(Shape)
		problems = s.Item.read(t.Elem())
	case reflect.Struct:
		s.Kind = Object
		s.Fields, problems = fieldsOf(t)
	default:
		problems = []error{fmt.Errorf("a %s cannot be an input; use string, int, float64, bool, a struct, a list of these, or schema.Opt", t)}
	}
	return problems
}

// Limits says in words which values fit, or nothing if all of the kind do.
func (s *Shape) Limits() string {
	if s.Kind == List && len(s.Item.Enum) > 0 {
		return strings.TrimPrefix(s.span()+", each "+s.Item.Limits(), ", ")
	}
	if len(s.Enum) > 0 {
		return "one of " + strings.Join(s.Enum, ", ")
	}
	return s.span()
}

func (s *Shape) span() string {
	unit := map[Kind]string{Text: " characters", List: " items"}[s.Kind]
	switch {
	case s.Min != nil && s.Max != nil:
		return number(*s.Min) + " to " + number(*s.Max) + unit
	case s.Max != nil:
		return "at most " + number(*s.Max) + unit
	case s.Min != nil:
		return "at least " + number(*s.Min) + unit
	}
	return ""
}

// within reports whether n lies between the bounds.
func (s *Shape) within(n float64) bool {
	return (s.Min == nil || n >= *s.Min) && (s.Max == nil || n <= *s.Max)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// An Opt is a field that remembers whether it was given, for actions where "left
// alone" and "cleared" differ. Its json tag needs omitzero, unless the field is
// required and may be empty.
type Opt[T any] struct {
	Value T
	Given bool
}

// Some is a given value.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, Given: true} }

// OrNil is the value, or nil if there is none.
func (o Opt[T]) OrNil() *T {
	if !o.Given {
		return nil
	}
	return &o.Value
}

// MarshalJSON encodes the value alone; an Opt that was not given is left out by
// omitzero before this is asked.
func (o Opt[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

func (o *Opt[T]) target() any { return &o.Value }
func (o *Opt[T]) give()       { o.Given = true }

// opt is how the decoder reaches into an Opt of any type.
type opt interface {
	target() any
	give()
}

// optInner returns the T of an Opt[T].
func optInner(t reflect.Type) (reflect.Type, bool) {
	o, ok := reflect.New(t).Interface().(opt)
	if !ok {
		return nil, false
	}
	return reflect.TypeOf(o.target()).Elem(), true
}
