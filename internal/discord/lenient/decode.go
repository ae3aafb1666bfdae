package lenient

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

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
