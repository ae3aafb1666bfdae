package actions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// The forms of values that their Go types do not tell. Of a message, the form is what it is called instead: {messageId:poll}.
const (
	asTime   = "time"   // a text with a time
	asRight  = "right"  // texts with the names of permissions, which are known to exist
	asEvent  = "event"  // the name or ID of an event
	asObject = "object" // a text with a JSON object
	asText   = "text"   // the text of a message, in which mentions are shown as names
)

// units are the forms of lengths of time.
var units = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour}

// value is a field's value, on one line. It is whole, so that a card has all of what it asks about.
func (d *description) value(field string, s *schema.Shape, form string, raw json.RawMessage) string {
	switch s.Kind {
	case schema.List:
		return d.list(field, s.Item, form, raw)
	case schema.Object:
		return d.object(s, raw)
	case schema.Boolean:
		return yesOrNo(string(raw) == "true")
	case schema.Integer, schema.Number:
		var n float64
		if unit, ok := units[form]; ok && json.Unmarshal(raw, &n) == nil {
			return chat.Span(time.Duration(n * float64(unit)))
		}
		return string(raw)
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return Quoted(string(raw))
	}
	return d.reference(field, s, form, text)
}

func (d *description) list(field string, item *schema.Shape, form string, raw json.RawMessage) string {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return "none"
	}
	var list []string
	for _, one := range items {
		list = append(list, d.value(field, item, form, one))
	}
	return strings.Join(list, ", ")
}

func (d *description) object(s *schema.Shape, raw json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return Quoted(string(raw))
	}
	var list []string
	for _, f := range s.Fields {
		one, ok := members[f.Name]
		switch {
		case ok && len(members) == 1:
			return d.value(f.Name, &f.Shape, "", one)
		case ok:
			list = append(list, inWords(f.Name)+": "+d.value(f.Name, &f.Shape, "", one))
		}
	}
	return strings.Join(list, ", ")
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// reference is a text that may stand for something: a user, a role, a channel, a message, a time.
func (d *description) reference(field string, s *schema.Shape, form, text string) string {
	isID := chat.IsID(text)
	switch s.Type {
	case reflect.TypeFor[chat.ChannelRef]():
		return d.channel(field, text)
	case reflect.TypeFor[chat.MessageRef]():
		return d.message(chat.MessageRef(text), cmp.Or(form, "message"))
	case reflect.TypeFor[chat.UserRef](), reflect.TypeFor[chat.BannedRef]():
		if isID {
			return chat.UserID(text).Mention()
		}
	case reflect.TypeFor[chat.RoleRef]():
		if isID && text == string(d.call.Origin.Place.Guild) {
			return "@everyone" // its mention would have two signs
		}
		if isID {
			return chat.Role{ID: chat.RoleID(text)}.Mention()
		}
	case reflect.TypeFor[chat.Emoji]():
		if found := custom().FindStringSubmatch(text); found != nil && found[2] != "" {
			return "<:" + text + ">"
		}
	}
	switch {
	case text == "":
		return "none"
	case form != "":
		return d.formed(form, text)
	case len(s.Enum) > 0: // it can be nothing else
		return strings.ReplaceAll(text, "_", " ")
	case isID && text == string(d.call.Origin.Place.Guild):
		return "this server"
	case isID:
		return "ID " + chat.InCode(text)
	}
	return Quoted(text)
}

// formed is a text in the form that the sentence wants.
func (d *description) formed(form, text string) string {
	switch form {
	case asRight:
		return "*" + chat.Literal(text) + "*"
	case asTime:
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
			if t, err := time.Parse(layout, text); err == nil {
				return chat.Clock(t)
			}
		}
	case asEvent:
		if chat.IsID(text) {
			return "[this event](" + chat.Event{ID: chat.EventID(text)}.Link(d.call.Origin.Place.Guild) + ")"
		}
		return "the event " + Quoted(text)
	case asText:
		return mentions().ReplaceAllString(Quoted(text), "<$1>")
	case asObject:
		var members any
		if json.Unmarshal([]byte(text), &members) == nil {
			return plain(members)
		}
	default:
		days, ok := strings.CutSuffix(text, "d")
		if n, err := strconv.Atoi(days); ok && err == nil {
			return chat.Counted(n, "day", "days")
		}
		if length, err := time.ParseDuration(text); err == nil {
			return chat.Span(length)
		}
	}
	return Quoted(text)
}

// channel describes the channel that a field names. That of the first field is the one in which rights were checked. Other channels
// whose IDs are not known stay without a name, since not everybody who reads it may know it, unless the card itself says that they will
// be made.
func (d *description) channel(field, ref string) string {
	first := d.action.firstChannel() == field
	id := d.where
	if chat.IsID(ref) {
		id = chat.ChannelID(ref)
	}
	switch {
	case chat.IsID(ref) || first && d.where != "":
		d.at = d.at || id == d.where
		return id.Mention()
	case ref == "":
		return d.here()
	case first || d.call.willMake(ref):
		return Quoted(ref)
	}
	return "another channel"
}

// firstChannel is the first field that names a channel; empty if there is none.
func (a *Action) firstChannel() string {
	for _, f := range a.Fields() {
		if f.Type == reflect.TypeFor[chat.ChannelRef]() {
			return f.Name
		}
	}
	return ""
}

// message quotes a message, or links to it, if its channel is known.
func (d *description) message(ref chat.MessageRef, noun string) string {
	at := chat.Place{Guild: d.call.Origin.Place.Guild, Channel: d.where, Message: ref.ID()}
	if channel, _, ok := strings.Cut(string(ref), "/"); ok && at.Channel == "" {
		at.Channel = chat.ChannelID(channel)
	}
	switch {
	case ref == chat.Last:
		return "my latest " + noun
	case at.Channel == "":
		return "the " + noun + " with the ID " + chat.InCode(string(at.Message))
	}
	return d.quote(at, noun)
}

// Quoted is a text in quotes that it cannot end, on one line and without formatting. So people see where it ends, and none of it looks
// like the bot's own words.
func Quoted(text string) string { return "“" + innerQuotes.Replace(chat.Literal(text)) + "”" }

// innerQuotes replaces double quotes, and what people would take for them.
var innerQuotes = strings.NewReplacer("“", "‘", "„", "‘", "❝", "‘", "〝", "‘", "”", "’", "‟", "’", "❞", "’", "〞", "’", "〟", "’", "″", "’", "＂", "’")

// mentions finds mentions in a quoted text. Neither the card nor the message sends a notification for them.
var mentions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\<((?:@!?|@&|#)\d{17,20})\\>`) })

// plain is a JSON value for people.
func plain(value any) string {
	var list []string
	switch v := value.(type) {
	case string:
		return Quoted(v)
	case bool:
		return yesOrNo(v)
	case nil:
		return "none"
	case []any:
		for _, one := range v {
			list = append(list, plain(one))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, Quoted(name)+": "+plain(v[name]))
		}
	default:
		return fmt.Sprint(v)
	}
	if len(list) == 0 {
		return "none"
	}
	return "(" + strings.Join(list, ", ") + ")"
}
