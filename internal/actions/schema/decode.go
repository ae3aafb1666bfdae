package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Invalid lists everything that is wrong with one input, so that a model can
// mend all of it in one round.
type Invalid struct {
	Problems []Problem
	Ignored  []string // keys that no field accepts: often the misspelled cause
}

// A Problem names a field and what is wrong with it.
type Problem struct {
	Field string
	What  string
}

// maxListed keeps a hostile input from filling the reply with its problems.
const maxListed = 10

func (e *Invalid) Error() string {
	var parts []string
	for _, p := range e.Problems {
		what := p.What
		if p.Field != "" {
			what = clip(p.Field) + ": " + what
		}
		parts = append(parts, what)
	}
	for _, key := range e.Ignored {
		parts = append(parts, fmt.Sprintf("unknown field %q was ignored", clip(key)))
	}
	if more := len(parts) - maxListed; more > 0 {
		parts = append(parts[:maxListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// Decoded is an input that fits.
type Decoded struct {
	Value   any      // of the struct type given to Of
	Ignored []string // keys that no field accepts
}

// Decode reads a request's members into the struct. The member "type" is the
// action's name and not looked at. The error is an *Invalid.
//
// Forgiving about form: a number is accepted for a text and kept digit for digit,
// "10" for a number, a single value for a list, any case for an enum; null, and a
// blank text for an optional field that is not an Opt, count as absent; for an Opt
// of a text or a list, a blank text is an empty value. Strict
// about meaning: a missing field, a blank required text, a value outside its
// limits is an error.
func (t *Type) Decode(args json.RawMessage) (Decoded, error) {
	var d decoding
	v := reflect.New(t.goType).Elem()
	if len(args) > 0 {
		d.object(t.Fields, args, v, "")
	} else {
		d.object(t.Fields, []byte("{}"), v, "")
	}
	slices.Sort(d.ignored)
	if err := d.err(); err != nil {
		return Decoded{}, err
	}
	return Decoded{Value: v.Interface(), Ignored: d.ignored}, nil
}

// Encode writes a request for the action called name, fields in their order.
func Encode(name string, input any) (json.RawMessage, error) {
	members, err := marshal(input)
	if err != nil {
		return nil, err
	}
	head, err := marshal(map[string]string{typeKey: name})
	if err != nil {
		return nil, err
	}
	if string(members) == "{}" {
		return head, nil
	}
	return slices.Concat(head[:len(head)-1], []byte(","), members[1:]), nil
}

// Rewrite replaces texts in the members of a request, as edit says of each. Members of objects within it stay as
// they are, as does what cannot be decoded.
func (t *Type) Rewrite(args json.RawMessage, edit func(f Field, text string) string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return args
	}
	changed := false
	for _, f := range t.Fields {
		for _, name := range f.names() {
			var text string
			if json.Unmarshal(members[name], &text) != nil {
				continue
			}
			if now, err := marshal(edit(f, text)); err == nil && edit(f, text) != text {
				members[name], changed = now, true
			}
		}
	}
	if !changed {
		return args
	}
	if edited, err := marshal(members); err == nil {
		return edited
	}
	return args
}

// marshal is json.Marshal without its escapes for HTML, which would only make
// examples harder to read.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

// decoding collects what is found out about one input.
type decoding struct {
	problems []Problem
	ignored  []string
}

func (d *decoding) err() error {
	if len(d.problems) == 0 {
		return nil
	}
	return &Invalid{Problems: d.problems, Ignored: d.ignored}
}

func (d *decoding) complain(path, format string, args ...any) {
	d.problems = append(d.problems, Problem{Field: path, What: fmt.Sprintf(format, args...)})
}

// named returns the field of an object that a text in its place stands for; empty if there is none.
func named(fields []Field) string {
	if slices.ContainsFunc(fields, func(f Field) bool { return f.Name == "name" && f.Kind == Text }) {
		return "name"
	}
	return ""
}

func (d *decoding) object(fields []Field, raw json.RawMessage, v reflect.Value, path string) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(raw, &members)
	if err != nil && path != "" && len(raw) > 0 && raw[0] == '"' {
		if name := named(fields); name != "" { // models write "✅" instead of {"name":"✅"}
			members, err = map[string]json.RawMessage{name: raw}, nil
		}
	}
	if err != nil {
		d.complain(path, "must be an object, not %s", describe(raw))
		return
	}
	for i := range fields {
		f := &fields[i]
		d.field(f, f.take(members), v.FieldByIndex(f.index), join(path, f.Name))
	}
	if path == "" {
		delete(members, typeKey)
	}
	for key := range members {
		d.ignored = append(d.ignored, join(path, key))
	}
}

// take removes the field's member from members, under whichever of its names it
// has a value.
func (f *Field) take(members map[string]json.RawMessage) json.RawMessage {
	var found json.RawMessage
	for _, name := range f.names() {
		raw, ok := members[name]
		delete(members, name)
		if ok && found == nil && string(raw) != "null" {
			found = raw
		}
	}
	return found
}

func (d *decoding) field(f *Field, raw json.RawMessage, v reflect.Value, path string) {
	if raw != nil && isBlank(raw) && !f.clearable() {
		if f.Required {
			d.complain(path, "empty")
			return
		}
		raw = nil // models fill in "" for what they leave out
	}
	switch {
	case raw != nil:
		d.value(&f.Shape, raw, v, path)
	case f.Required:
		d.complain(path, "missing")
	case f.Default != "":
		d.value(&f.Shape, f.literal(f.Default), v, path)
	}
}

// clearable reports whether an empty value means something else than none.
func (s *Shape) clearable() bool {
	return s.optional && (s.Kind == Text || s.Kind == List || s.Kind == Object)
}

func (d *decoding) value(s *Shape, raw json.RawMessage, v reflect.Value, path string) {
	if s.optional {
		o := v.Addr().Interface().(opt)
		o.give()
		if s.Kind == Text && isBlank(raw) {
			return // cleared
		}
		v = reflect.ValueOf(o.target()).Elem()
	}
	switch s.Kind {
	case Text:
		d.text(s, raw, v, path)
	case Integer:
		d.integer(s, raw, v, path)
	case Number:
		d.number(s, raw, v, path)
	case Boolean:
		d.boolean(raw, v, path)
	case List:
		d.list(s, raw, v, path)
	case Object:
		d.object(s.Fields, raw, v, path)
	}
}

func (d *decoding) text(s *Shape, raw json.RawMessage, v reflect.Value, path string) {
	text, ok := scalar(raw)
	if !ok {
		d.complain(path, "must be text, not %s", describe(raw))
		return
	}
	if len(s.Enum) > 0 {
		choice, ok := choose(s.Enum, text)
		if !ok {
			d.complain(path, "%q is not %s", clip(text), s.Limits())
			return
		}
		text = choice
	} else if n := chat.Length(text); !s.within(float64(n)) {
		d.complain(path, "has %d characters, must have %s", n, strings.TrimSuffix(s.Limits(), " characters"))
		return
	}
	if !s.grammar {
		v.SetString(text)
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
		d.complain(path, "%v", err)
	}
}

func (d *decoding) integer(s *Shape, raw json.RawMessage, v reflect.Value, path string) {
	text, _ := scalar(raw)
	n, ok := wholeNumber(strings.TrimSpace(text))
	if !ok || v.OverflowInt(n) {
		d.complain(path, "must be a whole number, not %s", describe(raw))
		return
	}
	if !s.within(float64(n)) {
		d.complain(path, "%d is not %s", n, s.Limits())
		return
	}
	v.SetInt(n)
}

func (d *decoding) number(s *Shape, raw json.RawMessage, v reflect.Value, path string) {
	text, _ := scalar(raw)
	n, ok := decimal(strings.TrimSpace(text))
	if !ok {
		d.complain(path, "must be a number, not %s", describe(raw))
		return
	}
	if !s.within(n) {
		d.complain(path, "%s is not %s", number(n), s.Limits())
		return
	}
	v.SetFloat(n)
}

func (d *decoding) boolean(raw json.RawMessage, v reflect.Value, path string) {
	text, ok := scalar(raw)
	if !ok {
		text = string(raw)
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1":
		v.SetBool(true)
	case "false", "0":
		v.SetBool(false)
	default:
		d.complain(path, "must be true or false, not %s", describe(raw))
	}
}

func (d *decoding) list(s *Shape, raw json.RawMessage, v reflect.Value, path string) {
	items := []json.RawMessage{raw}
	switch {
	case isBlank(raw): // only a clearable list gets here with one; a blank text is its empty list
		items = nil
	case raw[0] == '[':
		// What follows a bracket here is valid JSON, so it is a list.
		_ = json.Unmarshal(raw, &items)
	}
	if !s.within(float64(len(items))) {
		d.complain(path, "has %d items, must have %s", len(items), strings.TrimSuffix(s.span(), " items"))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if isBlank(item) || string(item) == "null" {
			d.complain(at, "empty")
			continue
		}
		d.value(s.Item, item, list.Index(i), at)
	}
	v.Set(list)
}

// scalar is the text of a JSON string, or of a number as it was written: a
// snowflake must not pass through a float.
func scalar(raw json.RawMessage) (string, bool) {
	switch c := raw[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	case c == '-' || c >= '0' && c <= '9':
		return string(raw), true
	}
	return "", false
}

// isBlank reports whether raw is an empty text or an empty list.
func isBlank(raw json.RawMessage) bool {
	if raw[0] == '[' {
		return strings.TrimSpace(string(raw[1:len(raw)-1])) == ""
	}
	text, ok := scalar(raw)
	return ok && strings.TrimSpace(text) == ""
}

func choose(choices []string, text string) (string, bool) {
	text = strings.TrimSpace(text)
	if slices.Contains(choices, text) {
		return text, true
	}
	i := slices.IndexFunc(choices, func(c string) bool { return strings.EqualFold(c, text) })
	if i < 0 {
		return "", false
	}
	return choices[i], true
}

// wholeNumber also accepts 10.0 and 1e3, as long as nothing is lost.
func wholeNumber(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, ok := decimal(text)
	const exact = 1 << 53 // beyond it a float64 no longer holds every integer
	if !ok || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	return int64(f), true
}

// decimal reads a number as people write it: strconv also knows hexadecimal ones,
// infinities, and underscores.
func decimal(text string) (float64, bool) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// describe names a JSON value in a sentence.
func describe(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	default:
		return clip(string(raw))
	}
}

// clip keeps a value that a model made up from filling the reply.
func clip(s string) string { return chat.Clip(s, 60) }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
