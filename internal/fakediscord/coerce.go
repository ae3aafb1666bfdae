package fakediscord

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// coerced is JSON for a value of type t in which values have the types that t wants, as far as Discord takes one for the other: an ID
// may be a number, and a whole number may be written in a string or with a fraction of zero.
func coerced(data []byte, t reflect.Type) ([]byte, error) {
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber() // IDs have more digits than a float
	var value any
	if err := in.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(coerce(value, t, ""))
}

// coerce converts a value. The name is that of the field that it is in.
func coerce(value any, t reflect.Type, name string) any {
	if t.Kind() == reflect.Pointer {
		return coerce(value, t.Elem(), name)
	}
	switch v := value.(type) {
	case map[string]any:
		if t.Kind() == reflect.Struct {
			coerceFields(v, t)
		}
	case []any:
		if t.Kind() == reflect.Slice {
			for i := range v {
				v[i] = coerce(v[i], t.Elem(), name)
			}
		}
	case json.Number:
		if t.Kind() == reflect.String && isIDName(name) {
			return v.String()
		}
		if t.Kind() == reflect.Int {
			return whole(v.String(), value)
		}
	case string:
		if t.Kind() == reflect.Int {
			return whole(v, value)
		}
	}
	return value
}

func coerceFields(members map[string]any, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			coerceFields(members, field.Type)
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value, there := members[name]; there {
			members[name] = coerce(value, field.Type, name)
		}
	}
}

// isIDName reports whether a field of this name has an ID, or several.
func isIDName(name string) bool {
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids") ||
		slices.Contains([]string{"users", "roles", "messages", "applied_tags"}, name)
}

// whole is the whole number that a text is, or otherwise.
func whole(text string, otherwise any) any {
	n, ok := new(big.Rat).SetString(text)
	if !ok || !n.IsInt() || strings.ContainsAny(text, "/eE") {
		return otherwise
	}
	return json.Number(n.Num().String())
}
