package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// wanted describes a request for the clean reader: what it does, with numbers, times, choices and permissions in full, and what it touches
// as the asker's words have it. Of other texts it has only the length. Nothing in it was written by anybody but the asker and the program.
func (w wishing) wanted(ctx context.Context, b Bound, r Request) string {
	what, _, _ := strings.Cut(lowered(strings.TrimSuffix(b.Action.Summary, ".")), ": ")
	what, _, _ = strings.Cut(what, " than ")
	var values map[string]json.RawMessage
	if json.Unmarshal(r.Args, &values) != nil {
		return what
	}
	names, plain := b.names(ctx, w.call), b.plain(ctx, w.call)
	var parts []string
	for _, f := range b.Action.Fields() {
		raw, ok := values[f.Name]
		if !ok || f.Default != "" && strings.Trim(string(raw), `"`) == f.Default {
			continue
		}
		label := inWords(f.Name)
		phrase := ""
		if read, ok := plain[f.Name]; ok {
			phrase = read
		} else if name := cmp.Or(names[f.Name], names[label]); name != "" {
			phrase = cmp.Or(w.byID(label, raw), w.titled(ctx, label, name))
		} else {
			phrase = w.value(ctx, &f.Shape, raw)
		}
		if names[OwnField] == f.Name && (strings.HasSuffix(phrase, unnamed) || strings.HasPrefix(phrase, "a text ")) {
			phrase = "a " + nounFor(label) + " that the asker made" // "my task" and the only one of that kind need no title
		}
		if !slices.Contains(plainLabels, label) || !strings.HasPrefix(phrase, "the ") && !strings.HasPrefix(phrase, "a ") && !strings.HasPrefix(phrase, "an ") {
			phrase = label + ": " + phrase
		}
		parts = append(parts, phrase)
	}
	inChannel := b.Action.firstChannel() != "" && len(refsIn[chat.ChannelRef](b)) == 0
	if ch, ok := w.call.Checked(); ok && inChannel && ch != w.call.Origin.Place.Channel {
		phrase, _ := w.channel(ctx, ch)
		parts = append(parts, "in "+phrase)
	}
	return strings.TrimSuffix(what+": "+strings.Join(parts, "; "), ": ")
}

// OwnField is a key of what Names returns: which field is about something that the asker made.
const OwnField = "own"

const unnamed = " that the request does not name"

// DoneFor describes what earlier answers of a turn have done, for the clean reader, and counts what the words do not name.
func DoneFor(outs []Outcome) (lines []string, unnamed int) {
	for _, o := range outs {
		if o.Done() && !o.Found() && !o.Repeated && o.Action != nil && o.Action.Effect != Queries {
			lines = append(lines, cmp.Or(o.wanted, lowered(kind(o.Action))))
			if o.unnamed {
				unnamed++
			}
		}
	}
	return lines, unnamed
}

// plainLabels are the fields whose names a phrase such as "the channel …" says already.
var plainLabels = []string{"channel", "message", "user", "member", "role", "task", "plan", "cron", "thread", "target", "event", "substring"}

func lowered(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// value describes the value of a field.
func (w wishing) value(ctx context.Context, s *schema.Shape, raw json.RawMessage) string {
	switch s.Kind {
	case schema.List:
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
			return "none"
		}
		var list []string
		for _, one := range items {
			list = append(list, w.value(ctx, s.Item, one))
		}
		return strings.Join(list, ", ")
	case schema.Object:
		var members map[string]json.RawMessage
		_ = json.Unmarshal(raw, &members) // what is no object has no members
		var list []string
		for _, f := range s.Fields {
			if one, ok := members[f.Name]; ok {
				list = append(list, inWords(f.Name)+": "+w.value(ctx, &f.Shape, one))
			}
		}
		return strings.Join(list, ", ")
	case schema.Boolean:
		return yesOrNo(string(raw) == "true")
	case schema.Integer, schema.Number:
		return string(raw)
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "something"
	}
	return w.text(ctx, s, text)
}

// reference is what a text refers to; empty for other texts.
func (w wishing) reference(ctx context.Context, of reflect.Type, text string) (phrase string) {
	if text == "" {
		return ""
	}
	switch of {
	case reflect.TypeFor[chat.ChannelRef]():
		id, ok := chat.ChannelRef(text).ID()
		if !ok && w.call.willMake(text) {
			return "the new one"
		}
		phrase, _ = w.channel(ctx, id)
	case reflect.TypeFor[chat.MessageRef]():
		phrase, _ = w.message(ctx, chat.MessageRef(text))
	case reflect.TypeFor[chat.UserRef](), reflect.TypeFor[chat.BannedRef]():
		phrase, _ = w.user(ctx, chat.UserRef(text).ID())
	case reflect.TypeFor[chat.RoleRef]():
		phrase, _ = w.role(ctx, chat.RoleID(text))
	}
	return phrase
}

// text describes a text.
func (w wishing) text(ctx context.Context, s *schema.Shape, text string) string {
	if phrase := w.reference(ctx, s.Type, text); phrase != "" {
		return phrase
	}
	switch {
	case text == "":
		return "nothing"
	case len(s.Enum) > 0:
		return strings.ReplaceAll(text, "_", " ")
	case chat.IsID(text) && !w.has(text):
		return "one that the request does not name"
	case amounts().MatchString(text):
		return text
	case s.Type == reflect.TypeFor[chat.Emoji]() && strings.Contains(w.Words, text):
		return `the emoji "` + text + `"`
	case s.Type == reflect.TypeFor[chat.Emoji]():
		return "an emoji that the request does not name"
	}
	if as, ok := chat.Spelled(w.Words, text); ok {
		return `"` + as + `"`
	}
	return fmt.Sprintf("a text of %d characters", utf8.RuneCountInString(text))
}

// amounts are times, lengths of time, schedules, colours and numbers: texts in which nobody can say anything.
var amounts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[\d\s:+\-./*,#TZL%]{1,60}|(?:\d+ ?[smhdw])+|#[\dA-Fa-f]{6}|@(?:hourly|daily|weekly|monthly|every [\dsmh]+))$`)
})

// Differs describes a list that takes the place of another one, as text does. Unnamed stands for what the words do not have.
func (c Call) Differs(was, will []string, unnamed string) string {
	var parts []string
	for _, change := range []struct {
		verb string
		list []string
		but  []string
	}{{"adds ", will, was}, {"takes away ", was, will}} {
		for _, name := range change.list {
			if slices.ContainsFunc(change.but, func(other string) bool { return strings.EqualFold(name, other) }) {
				continue
			}
			phrase := unnamed
			if c.Origin.Wish != nil {
				if as, ok := chat.Spelled(c.Origin.Wish.Words, name); ok {
					phrase = `"` + as + `"`
				}
			}
			parts = append(parts, change.verb+phrase)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "changes nothing")
}

// byID is something that has a title, by its ID, such as ws-002, if the words have that.
func (w wishing) byID(noun string, raw json.RawMessage) string {
	var id string
	if json.Unmarshal(raw, &id) != nil || len(id) < 4 {
		return ""
	}
	as, ok := chat.Spelled(w.Words, id)
	if !ok {
		return ""
	}
	return "the " + nounFor(noun) + ` "` + as + `"`
}

func nounFor(label string) string {
	return cmp.Or(map[string]string{"cron": "job", "substring": "note"}[label], label)
}

// titled is something that has a title, such as a task. The title is told as far as the asker's words have it, or their earlier ones.
func (w wishing) titled(ctx context.Context, noun, title string) string {
	noun = nounFor(noun)
	if as, ok := chat.Spelled(w.Words, title); ok {
		return "the " + noun + ` "` + as + `"`
	}
	a := "a "
	if strings.ContainsAny(noun[:1], "aeio") {
		a = "an "
	}
	for _, from := range []struct{ words, whose string }{{w.Words, "the request's words"}, {strings.Join(w.Before(), "\n"), "the earlier messages' words"}} {
		if shared := likeWords(from.words, title); len(shared) > 0 {
			return a + noun + " whose title is like " + from.whose + " " + strings.Join(shared, ", ") + w.alsoAbove(ctx, title)
		}
	}
	if w.alsoAbove(ctx, title) != "" {
		return a + noun + " whose title is like words of the message that the request may point at"
	}
	return a + noun + unnamed
}

// likeWords are up to three words of a text that a title is like, the longest first: the shortest are in every text.
func likeWords(text, title string) (shared []string) {
	for _, word := range strings.Fields(chat.Words(title)) {
		if as, ok := likeIn(text, word); ok && !slices.Contains(shared, `"`+as+`"`) {
			shared = append(shared, `"`+as+`"`)
		}
	}
	slices.SortStableFunc(shared, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	return shared[:min(len(shared), 3)]
}

// alsoAbove says that a title is like words of the message that the asker's words may point at. It has none of them.
func (w wishing) alsoAbove(ctx context.Context, title string) string {
	p := w.points()
	if w.d.Messages == nil || p.Message == "" {
		return ""
	}
	m, err := w.d.Messages(ctx, p.Channel, p.Message)
	for _, word := range strings.Fields(chat.Words(title)) {
		if _, ok := likeIn(m.Text, word); ok && err == nil && utf8.RuneCountInString(word) > 3 {
			return ", and like words of the message that the request may point at"
		}
	}
	return ""
}

// likeIn finds a word of three letters or more in a text, or one that begins like it, as "bake" and "baking" do, and returns it as it is
// written there.
func likeIn(text, word string) (as string, found bool) {
	if utf8.RuneCountInString(word) < 3 {
		return "", false
	}
	if as, found = chat.Spelled(text, word); found {
		return as, true
	}
	for _, own := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if chat.Alike(chat.Words(own), word) {
			return own, true
		}
	}
	return "", false
}
