package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A Spec's Sentence is what a card says of a request. In it, {field} stands for a field's value, and
//
//	{field:form}    for the value in another form, see asTime
//	{field|words}   for words if the value is empty or zero
//	{field?yes|no}  for a phrase if the field is true, or has a value, which stands for $ in it, and for another if not
//	{where}         for the channel in which the requester's rights were checked
//	[part]          for a part that is left out unless the request has all of its fields
//
// A part may begin with a comma, which is left out behind a colon or another comma. Fields that the sentence does not
// name follow it with their names, so that a card never hides what it asks about.

// sentenceParts finds the parts of a sentence, slots the fields in a part.
var (
	sentenceParts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]*\]|[^\[\]]+`) })
	slots         = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{(\w+)(?::(\w+))?(?:\?([^|}]*))?(?:\|([^}]*))?\}`)
	})
)

// whereSlot is the slot that stands for no field.
const whereSlot = "where"

// A slot is where a field's value stands in a sentence.
type slot struct{ field, form, yes, words string }

func slotOf(text string) slot {
	m := slots().FindStringSubmatch(text)
	return slot{m[1], m[2], m[3], m[4]}
}

// A description of a request for a card, while it is written.
type description struct {
	call   Call
	action *Action
	values map[string]json.RawMessage
	names  map[string]string // what is said instead of some of them
	quote  func(at chat.Place, noun string) string
	where  chat.ChannelID // in which the requester's rights were checked; empty if they were not

	text string
	told map[string]bool // fields that are in the text
	at   bool            // where is in the text
}

// effect describes a request, in Markdown, with the values of all of its fields, or the names of what they name.
func effect(ctx context.Context, call Call, a *Action, r Request, names map[string]string) string {
	d := description{call: call, action: a, names: names, told: map[string]bool{}}
	d.quote = func(at chat.Place, noun string) string { return call.quoteAt(ctx, at, noun) }
	if json.Unmarshal(r.Args, &d.values) != nil {
		return kind(a)
	}
	d.where, _ = call.Checked()
	for _, part := range sentenceParts().FindAllString(cmp.Or(a.Sentence, kind(a)+":"), -1) {
		inner, optional := strings.CutPrefix(part, "[")
		if !optional || d.hasAll(part) {
			d.say(strings.TrimSuffix(inner, "]"))
		}
	}
	d.sayRest()
	return d.text
}

// hasAll reports whether there is something to say of all fields of a part.
func (d *description) hasAll(part string) bool {
	for _, text := range slots().FindAllString(part, -1) {
		s := slotOf(text)
		raw, ok := d.values[s.field]
		switch {
		case s.field == whereSlot:
			ok = d.where != ""
		case d.names[s.field] != "": // it follows from other fields
			ok = true
		}
		if !ok || s.yes != "" && s.words == "" && string(raw) != "true" {
			return false
		}
	}
	return true
}

// say appends a part of the sentence.
func (d *description) say(part string) {
	d.add(slots().ReplaceAllStringFunc(part, func(text string) string { return d.fill(slotOf(text)) }))
}

// add appends a text, which is not read as a part of the sentence: it may have values.
func (d *description) add(text string) {
	if strings.HasSuffix(d.text, ":") || strings.HasSuffix(d.text, ",") {
		text = strings.TrimPrefix(text, ",")
	}
	d.text += text
}

// sayRest appends what the sentence does not say: the remaining fields, and where it is done.
func (d *description) sayRest() {
	for _, f := range d.action.Fields() {
		name, isNamed := d.names[f.Name]
		if raw, ok := d.values[f.Name]; ok && !d.told[f.Name] && !(isNamed && name == "") {
			d.add(", " + inWords(f.Name) + ": " + d.named(f, "", raw))
		}
	}
	d.text = strings.TrimRight(d.text, ":, ")
	if d.where != "" && !d.at {
		d.add(", in " + d.where.Mention())
	}
}

// inWords is the name of a field as people write it: "auto archive minutes".
func inWords(field string) string {
	var words strings.Builder
	for _, r := range strings.TrimSuffix(field, "Id") {
		if unicode.IsUpper(r) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}

// fill returns what stands in a slot.
func (d *description) fill(s slot) string {
	d.told[s.field] = true
	if s.field == whereSlot {
		d.at = true
		return d.here()
	}
	f, _ := d.action.field(s.field) // tests check that it exists
	raw, ok := d.values[s.field]
	switch {
	case !ok && d.names[s.field] != "":
		return d.names[s.field]
	case !ok && f.Type == reflect.TypeFor[chat.ChannelRef]():
		return d.channel(s.field, "")
	case !ok || isZero(raw) && s.words != "":
		return cmp.Or(s.words, "none")
	case f.Kind == schema.Boolean:
		return s.yes
	case s.yes != "":
		return strings.Replace(s.yes, "$", d.named(f, s.form, raw), 1)
	}
	return d.named(f, s.form, raw)
}

// named is the value of a field, or the name of what it names.
func (d *description) named(f schema.Field, form string, raw json.RawMessage) string {
	if name, ok := d.names[f.Name]; ok {
		return name
	}
	return d.value(f.Name, &f.Shape, form, raw)
}

// here is the channel in which rights were checked, or else that of the turn.
func (d *description) here() string {
	if d.where == "" {
		return "this channel"
	}
	return d.where.Mention()
}

func isZero(raw json.RawMessage) bool {
	switch string(raw) {
	case `""`, "[]", "{}", "0", "false", "null":
		return true
	}
	return false
}

// field finds a field of the input by its name.
func (a *Action) field(name string) (schema.Field, bool) {
	fields := a.Fields()
	i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == name })
	if i < 0 {
		return schema.Field{}, false
	}
	return fields[i], true
}

// HasField reports whether the input has a field of that name.
func (a *Action) HasField(name string) bool {
	_, ok := a.field(name)
	return ok
}

// checkSentence reports what is wrong with the sentence.
func (a *Action) checkSentence() error {
	var problems []error
	for _, part := range sentenceParts().FindAllString(a.Sentence, -1) {
		if rest := slots().ReplaceAllString(strings.Trim(part, "[]"), ""); strings.ContainsAny(rest, "[]{}") {
			problems = append(problems, fmt.Errorf("Sentence: %q cannot be read", part))
		}
		for _, text := range slots().FindAllString(part, -1) {
			s := slotOf(text)
			if s.field == whereSlot {
				continue
			}
			f, ok := a.field(s.field)
			always := f.Required || f.Default != "" || f.Type == reflect.TypeFor[chat.ChannelRef]()
			switch _, isUnit := units[s.form]; {
			case !ok:
				problems = append(problems, fmt.Errorf("Sentence: there is no field %s", s.field))
			case !always && part[0] != '[':
				problems = append(problems, fmt.Errorf("Sentence: %s may be missing, so it belongs into brackets", s.field))
			case s.form != "" && !isUnit && !f.Message && !slices.Contains([]string{asTime, asRight, asEvent, asObject, asText}, s.form):
				problems = append(problems, fmt.Errorf("Sentence: there is no form %s", s.form))
			case (s.yes != "" && !strings.Contains(s.yes, "$")) != (f.Kind == schema.Boolean):
				problems = append(problems, fmt.Errorf("Sentence: %s needs phrases if it is a boolean, and else phrases with a $ or none", s.field))
			}
		}
	}
	return errors.Join(problems...)
}
