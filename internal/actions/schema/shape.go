package schema

import (
	"fmt"
	"reflect"
	"slices"
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
func (s Shape) Fits(n int) bool {
	return (s.Min == nil || float64(n) >= *s.Min) && (s.Max == nil || float64(n) <= *s.Max)
}

func shapeOf(t reflect.Type, tags map[string]string, parents []reflect.Type) (s Shape, problems []error) {
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
	problems = append(problems, s.read(t, parents)...)
	if enum := commaList(tags["enum"]); len(enum) > 0 {
		text := &s
		if s.Kind == List {
			text = s.Item
		}
		text.Enum = enum
	}
	if len(problems) == 0 {
		problems = s.check()
	}
	return s, problems
}

// read fills in what the Go type says.
func (s *Shape) read(t reflect.Type, parents []reflect.Type) (problems []error) {
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
		problems = s.Item.read(t.Elem(), parents)
	case reflect.Struct:
		s.Kind = Object
		s.Fields, problems = fieldsOf(t, parents)
	default:
		problems = []error{fmt.Errorf("a %s cannot be an input; use string, int, float64, bool, a struct, a list of these, or schema.Opt", t)}
	}
	return problems
}

// check refuses tags that mean nothing for this kind.
func (s *Shape) check() (problems []error) {
	complain := func(bad bool, format string, args ...any) {
		if bad {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	text := s
	if s.Kind == List {
		text = s.Item
	}
	complain(len(text.Enum) > 0 && text.Kind != Text, "enum is for text only")
	complain(len(slices.Compact(slices.Sorted(slices.Values(text.Enum)))) < len(text.Enum), "enum names a value twice")
	limited := s.Min != nil || s.Max != nil
	complain(limited && (s.Kind == Boolean || s.Kind == Object), "min and max mean nothing for a %s", s.Kind)
	complain(limited && len(s.Enum) > 0, "min and max mean nothing beside an enum")
	complain(s.Min != nil && s.Max != nil && *s.Min > *s.Max, "min is above max")
	return problems
}

// Limits says in words which values fit, or nothing if all of the kind do.
func (s *Shape) Limits() string {
	if s.Kind == List && len(s.Item.Enum) > 0 {
		return joinPhrases(s.span(), "each "+s.Item.Limits())
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

func joinPhrases(phrases ...string) string {
	var kept []string
	for _, p := range phrases {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ", ")
}
