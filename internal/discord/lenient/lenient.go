// Package lenient decodes what Discord sends, and tolerates what is not as expected. A value of another type than expected costs
// as little as possible: an optional field stays empty, an element of an optional list is left out, and the rest is used. Each such
// place is logged once.
//
// Fields are optional if their tag says so:
//
//	Nick string `json:"nick" wire:"optional"`
//
// Others are needed. An object whose needed fields cannot be read is broken, and so is what needs that object: without an ID
// or a rule about permissions it could be taken for something else.
//
// Start with [Reader.Read].
package lenient

import (
	"bytes"
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
)

// A Reader decodes JSON. It is safe for concurrent use.
type Reader struct {
	log *slog.Logger

	mu    sync.Mutex
	known map[place]bool // that were logged
}

// A place is a field of a kind of message, such as author.flags or embeds[].color.
type place struct{ kind, field string }

// New returns a Reader with a log.
func New(log *slog.Logger) *Reader { return &Reader{log: log, known: map[place]bool{}} }

// Read decodes data into v, which is a pointer to a struct or a list. What was left out is logged, once for each field of a
// kind, as are broken elements of the list. The error is that of a needed field, or of data that is no JSON.
func (r *Reader) Read(ctx context.Context, kind string, data []byte, v any) error {
	first := json.Unmarshal(data, v)
	if first == nil {
		return nil
	}
	if !json.Valid(data) {
		return first
	}
	// Fields after the first odd one may be missing, so all are read anew.
	fresh := reflect.New(reflect.TypeOf(v).Elem())
	d := decoder{odd: func(field string, data []byte) { r.note(ctx, place{kind, field}, data) }}
	if err := d.value(data, fresh.Elem(), ""); err != nil {
		return err
	}
	reflect.ValueOf(v).Elem().Set(fresh.Elem())
	return nil
}

// note logs a field that was left out. Its value stays out of the log: people may have written it.
func (r *Reader) note(ctx context.Context, p place, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[p] {
		return
	}
	r.known[p] = true
	r.log.WarnContext(ctx, "a field from Discord has an unexpected type, so it is left out", "kind", p.kind, "field", p.field, "got", typeOf(data))
}

// typeOf names the type of a JSON value.
func typeOf(data []byte) string {
	switch bytes.TrimSpace(data)[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// A brokenError names the needed field that cannot be read.
type brokenError struct{ field, got string }

func (e brokenError) Error() string {
	return fmt.Sprintf("%s has an unexpected type, which is %s", cmp.Or(e.field, "the whole"), e.got)
}

// A decoder does what json.Unmarshal does, one value at a time.
type decoder struct {
	odd   func(field string, data []byte) // is called for what is left out
	whole bool                            // a list that is decoded now is needed whole
}

// value decodes data into v. The field is its path, for the log and for errors.
func (d decoder) value(data []byte, v reflect.Value, field string) error {
	data = bytes.TrimSpace(data)
	switch {
	case decodesItself(v) || string(data) == "null":
		return d.plain(data, v, field)
	case v.Kind() == reflect.Pointer:
		elem := reflect.New(v.Type().Elem())
		if err := d.value(data, elem.Elem(), field); err != nil {
			return err
		}
		v.Set(elem)
		return nil
	case v.Kind() == reflect.Struct:
		return d.object(data, v, field)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		return d.list(data, v, field)
	}
	return d.plain(data, v, field)
}

// decodesItself reports whether v has a method for it, as times and raw JSON have.
func decodesItself(v reflect.Value) bool {
	switch v.Addr().Interface().(type) {
	case json.Unmarshaler, encoding.TextUnmarshaler:
		return true
	}
	return false
}

// plain decodes a value as a whole.
func (d decoder) plain(data []byte, v reflect.Value, field string) error {
	if json.Unmarshal(data, v.Addr().Interface()) != nil {
		v.SetZero()
		return brokenError{field, typeOf(data)}
	}
	return nil
}

// object decodes the fields of a struct, those of embedded ones included.
func (d decoder) object(data []byte, v reflect.Value, path string) error {
	var values map[string]json.RawMessage
	if json.Unmarshal(data, &values) != nil {
		return brokenError{path, typeOf(data)}
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		data, ok := values[name]
		if !ok || f.Anonymous {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		field, optional := v.FieldByIndex(f.Index), f.Tag.Get("wire") == "optional"
		if err := d.field(data, field, optional, at); err != nil {
			return err
		}
	}
	return nil
}

// field decodes a field.
func (d decoder) field(data []byte, v reflect.Value, optional bool, path string) error {
	d.whole = !optional
	err := d.value(data, v, path)
	if err != nil && optional {
		v.SetZero()
		d.odd(path, data)
		return nil
	}
	return err
}

// list decodes the elements of a slice. Those that are broken are left out, unless the list is needed whole.
func (d decoder) list(data []byte, v reflect.Value, path string) error {
	var elements []json.RawMessage
	if json.Unmarshal(data, &elements) != nil {
		return brokenError{path, typeOf(data)}
	}
	all := reflect.MakeSlice(v.Type(), 0, len(elements))
	for _, data := range elements {
		elem := reflect.New(v.Type().Elem()).Elem()
		err := d.value(data, elem, path+"[]")
		switch {
		case err == nil:
			all = reflect.Append(all, elem)
		case d.whole:
			return err
		default:
			d.odd(path+"[]", data)
		}
	}
	v.Set(all)
	return nil
}
