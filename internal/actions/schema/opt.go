package schema

import (
	"encoding/json"
	"reflect"
)

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
