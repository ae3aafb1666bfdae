package schema

import (
	"errors"
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

	optional bool // the Go value is an Opt
	grammar  bool // the Go value parses its own text
}

func shapeOf(t reflect.Type, tags map[string]string, parents []reflect.Type) (Shape, error) {
	s := Shape{Enum: commaList(tags["enum"])}
	var problems [2]error
	s.Min, problems[0] = bound(tags, "min")
	s.Max, problems[1] = bound(tags, "max")
	if err := errors.Join(problems[:]...); err != nil {
		return s, err
	}
	if inner, ok := optInner(t); ok {
		s.optional, t = true, inner
	}
	if err := s.read(t, parents); err != nil {
		return s, err
	}
	if s.Kind == List && len(s.Enum) > 0 {
		s.Item.Enum, s.Enum = s.Enum, nil
	}
	return s, s.check()
}

// read fills in what the Go type says.
func (s *Shape) read(t reflect.Type, parents []reflect.Type) (err error) {
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		s.Kind, s.grammar = Text, true
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
		err = s.Item.read(t.Elem(), parents)
	case reflect.Struct:
		s.Kind = Object
		s.Fields, err = fieldsOf(t, parents)
	default:
		err = fmt.Errorf("a %s cannot be an input; use string, int, float64, bool, a struct, a list of these, or schema.Opt", t)
	}
	return err
}

// check refuses tags that mean nothing for this kind.
func (s *Shape) check() error {
	if len(s.Enum) > 0 && s.Kind != Text || s.Item != nil && len(s.Item.Enum) > 0 && s.Item.Kind != Text {
		return errors.New("enum is for text only")
	}
	if (s.Min != nil || s.Max != nil) && (s.Kind == Boolean || s.Kind == Object) {
		return fmt.Errorf("min and max mean nothing for a %s", s.Kind)
	}
	if s.Min != nil && s.Max != nil && *s.Min > *s.Max {
		return fmt.Errorf("min %s is above max %s", number(*s.Min), number(*s.Max))
	}
	return nil
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

// within says whether n lies between the bounds.
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
