package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
)

// Envelope is Eliza's dialect of a whole reply: {"user":"Bo","text":"On it.","action":"LIST_TASKS"}. Named finds the action
// that a name means, and like is the emoji of LIKE.
func Envelope(named func(string) (string, bool), like string) Pass {
	return envelope{named, like, byControlName()}
}

type envelope struct {
	named    func(string) (string, bool)
	like     string
	controls map[string]effect
}

// EnvelopeName is the name of the envelope.
const EnvelopeName = "envelope"

func (envelope) Name() string { return EnvelopeName }

// An envelope is all of a reply, so there is nothing to find in what is left.
func (envelope) Find(*Reply) []Region             { return nil }
func (envelope) Preview(r *Reply) ([]Region, int) { return nil, len(r.Text) }

// envelopeKeys mark an object as an envelope, if it has a text too.
var envelopeKeys = []string{"user", "action", "actions"}

// Open takes the reply out of its envelope.
func (e envelope) Open(text string) Opened {
	body, fence, waits := unfence(text)
	if !strings.HasPrefix(body, "{") {
		return Opened{Rest: text, Waits: waits}
	}
	l := lenient{text: body}
	members, err := l.object()
	if err == nil {
		said, ok := members["text"].(string)
		whole, partial := fence.closes(body[l.at:])
		if !ok || !slices.ContainsFunc(envelopeKeys, func(key string) bool { _, has := members[key]; return has }) || !whole {
			return Opened{Rest: text, Waits: ok && partial}
		}
		return Opened{Rest: said, Found: e.compile(members, said), Wrapped: true, Waits: true}
	}
	// Without one of its keys before the damage, it is not taken for an envelope even if they follow: previews could
	// not wait for that.
	known := slices.ContainsFunc(l.keys, func(key string) bool { return key == "text" || slices.Contains(envelopeKeys, key) })
	o := Opened{Rest: text, Waits: known || errors.Is(err, errCutOff)}
	said, ok := stringOf(body, "text")
	if ok && known && hasKey(body, envelopeKeys) {
		o.Rest, o.Wrapped, o.Damaged = said, true, true
		o.Found = []Region{unusable("the object is damaged, so only its text was used")}
	}
	return o
}

// compile returns what the actions of an envelope mean.
func (e envelope) compile(members map[string]any, said string) (found []Region) {
	names := actionNames(members)
	args := arguments(members)
	types := 0
	for _, name := range names {
		if _, control := e.controls[actions.FoldName(name)]; !control {
			types++
		}
	}
	silent, requests := false, 0
	var control Control
	for _, name := range names {
		if does, ok := e.controls[actions.FoldName(name)]; ok {
			control.add(Control{Stop: does == stops, Resume: does == resumes, Continue: does == continues})
			silent = silent || does == nothing || does == ignores || does == stops
			continue
		}
		typ, ok := e.named(name)
		if !ok {
			found = append(found, Region{Stripped: name})
			continue
		}
		requests++
		found = append(found, e.request(name, typ, args, types == 1))
	}
	control.NoReply = silent && requests == 0 && strings.TrimFunc(said, isSpace) == ""
	return append(found, Region{Control: control})
}

// actionNames are the names in "action" and "actions", each once.
func actionNames(members map[string]any) (names []string) {
	list, _ := members["actions"].([]any)
	for _, value := range append([]any{members["action"]}, list...) {
		name, _ := value.(string)
		name = strings.TrimFunc(name, isSpace)
		same := func(other string) bool { return actions.FoldName(other) == actions.FoldName(name) }
		if name != "" && len(names) < maxRequests && !slices.ContainsFunc(names, same) {
			names = append(names, name)
		}
	}
	return names
}

// noArguments are keys of an envelope that are no arguments of its action.
var noArguments = []string{"user", "text", "action", "actions", "thought", "reasoning", "providers", "evaluators", "source", "simple"}

// arguments are those of an envelope: in an object of their own, or beside its other members.
func arguments(members map[string]any) map[string]any {
	for _, key := range []string{"params", "parameters", "arguments"} {
		if object, ok := members[key].(map[string]any); ok {
			return object
		}
	}
	args := map[string]any{}
	for key, value := range members {
		if !slices.Contains(noArguments, key) {
			args[key] = value
		}
	}
	return args
}

// request compiles an action with its own arguments, which may stand below its name. All of them are its own if it is the only one.
func (e envelope) request(name, typ string, args map[string]any, only bool) Region {
	var own map[string]any
	if only {
		own = args
	}
	for _, key := range namesIn(args) {
		folded := actions.FoldName(key)
		if object, ok := args[key].(map[string]any); ok && (folded == actions.FoldName(name) || folded == actions.FoldName(typ)) {
			own = object
			break
		}
	}
	members := map[string]any{}
	if typ == "react" && actions.FoldName(name) != "react" {
		members["emoji"] = e.like
	}
	for key, value := range own {
		if emoji, ok := value.(string); ok && key == "emoji" {
			value = Emoji(emoji)
		}
		members[key] = value
	}
	return compiled(EnvelopeName, typ, members)
}

// unfence returns what stands in a fence that begins a text, or the text itself, without white space around it. Waits means that more
// text could still make such a fence.
func unfence(text string) (body string, f fence, waits bool) {
	body = strings.TrimFunc(text, isSpace)
	if body == "" || body[0] != '`' && body[0] != '~' {
		return body, fence{}, false
	}
	inner := strings.TrimLeft(body, body[:1])
	f = fence{char: body[0], width: len(body) - len(inner)}
	info := inner[:min(len(inner), len("json"))]
	if strings.EqualFold(info, "json"[:len(info)]) {
		inner = inner[len(info):]
	}
	inner = strings.TrimLeftFunc(inner, isSpace)
	if f.width < 3 || inner != "" && inner[0] != '{' {
		return body, fence{}, f.width < 3 && f.width == len(body)
	}
	return inner, f, inner == ""
}

// closes reports whether the rest of a text behind an object ends the fence, if there is one, and nothing else. Partial
// means that more text could do that.
func (f fence) closes(rest string) (whole, partial bool) {
	rest = strings.TrimFunc(rest, isSpace)
	if f.width == 0 {
		return rest == "", false
	}
	marks := strings.Trim(rest, string(f.char)) == ""
	return marks && len(rest) >= f.width, marks && len(rest) < f.width
}

// An effect is what a name means that is no action's.
type effect string

const (
	nothing   effect = "none"
	ignores   effect = "ignore"
	continues effect = "continue"
	stops     effect = "stop"
	resumes   effect = "resume"
)

// controlNames are the names that an envelope may have in place of an action's, by their effect.
var controlNames = map[effect]string{
	nothing:   "NONE NO_ACTION NO_RESPONSE NO_REACTION RESPONSE REPLY RESPOND DEFAULT SOCIAL_ENGAGE",
	ignores:   "IGNORE SKIP",
	continues: "CONTINUE ELABORATE KEEP_TALKING",
	stops:     "STOP STOP_TALKING STOP_CHATTING STOP_CONVERSATION END_CONVERSATION MUTE_ROOM UNFOLLOW_ROOM",
	resumes:   "UNMUTE_ROOM FOLLOW_ROOM RESUME_CONVERSATION",
}

// byControlName returns the effects by folded names.
func byControlName() map[string]effect {
	all := map[string]effect{}
	for e, names := range controlNames {
		for name := range strings.FieldsSeq(names) {
			all[actions.FoldName(name)] = e
		}
	}
	return all
}

// checkNames reports whether an action answers to a name that means something else in an envelope.
func checkNames(named func(string) (string, bool)) error {
	for _, names := range controlNames {
		for name := range strings.FieldsSeq(names) {
			if typ, taken := named(name); taken {
				return fmt.Errorf("the action %s answers to %s, which is no action in an envelope", typ, name)
			}
		}
	}
	return nil
}
