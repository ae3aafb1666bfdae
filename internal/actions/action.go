package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// An Effect says whether an action returns data or changes something.
type Effect uint8

const (
	Mutates Effect = iota // its result is for the user
	Queries               // its result is for the model, which then goes on
	Keeps                 // like Mutates, but nothing changes on Discord: a reminder, or the bot's own settings
)

// Reads says what outside text the result of a query may have; see [chat.Sources].
type Reads uint8

const (
	Undeclared Reads = iota // taken for outside text
	Names                   // names, numbers and settings, none of which is outside text
	Messages                // messages, which the result says by Showing
	Texts                   // topics, descriptions, reasons and the like, which the result says by Outside
)

// A Spec describes one action over its input struct T. Field names, limits and
// documentation are on the struct; everything else about the action is here.
type Spec[T any] struct {
	Name        string            // wire name, e.g. "sendFile"
	Aliases     []string          // other names a model may use, in dialects that look names up
	Summary     string            // one short sentence in the imperative: what it does
	Sentence    string            // what a card says of a request; see sentence.go. Destructive actions have Ask instead
	Brief       string            // a few words behind the signature, where the names do not say enough
	Notes       []string          // further sentences, for when the action is explained
	Rare        bool              // prompts have its bare name; actionHelp tells the rest
	Effect      Effect            // Mutates unless said otherwise
	Reads       Reads             // of queries, and of others that may show something
	Hidden      bool              // what it finds is for the requester alone, whatever channels its result names
	Final       bool              // it cannot be taken back, though it destroys nothing: after outside text was read, people are asked
	Needs       []chat.Permission // that the requester must have
	MayNeed     []chat.Permission // that the requester must have for some requests: all that AlsoNeeds ever demands besides Needs
	PassesOn    bool              // it gives or takes permissions, each of which AlsoNeeds demands of the requester
	Later       bool              // of one that keeps something: it will be posted, so it counts like a change of Discord
	Quiet       bool              // success speaks for itself: no Done line
	Destructive bool              // needs approval
	Own         bool              // is about the requester, whose approval alone counts
	Helps       bool              // explains other actions, so it may run wherever one of these may, and nowhere else
	Always      bool              // people may do it also while the part of the bot that it acts on is off
	Direct      bool              // works in direct messages, too, where nobody needs a right on Discord
	TopLevel    bool              // refused inside the work on a plan
	Idempotent  bool              // safe to repeat when its outcome is unknown: deduped by its Call's IdempotencyKey
	Limit       time.Duration     // timeout, if it needs more time than others
	Examples    []T               // at least one; the first is shown to the model
	Check       func(T) error     // what the struct's tags cannot express; may be nil
	Stores      []string          // fields whose text is read outside of the turn, where handles of messages mean nothing
	Tolerates   []string          // fields that models send and that do nothing, without a word about it

	// NeedsIn finds the channel in which the requester must have the rights in Needs. Nil
	// means the server as a whole.
	NeedsIn func(ctx context.Context, call Call, in T) (chat.ChannelID, error)

	// AlsoNeeds finds what else the requester must have: rights in another channel, or a
	// higher role than a member's. It is called after Needs was checked. Rights that neither
	// Needs nor MayNeed has are a mistake, since they would be missing from what people read.
	AlsoNeeds func(ctx context.Context, call Call, in T) ([]Demand, error)

	// Free reports whether a request affects only the requester and the readers of the reply, so that it needs
	// no approval in a turn that has read outside text. Queries never do; nil means that all others do.
	Free func(call Call, in T) bool

	// Holds describes a request of an action that is not destructive but needs approval all the same, because it approves something
	// itself: a sentence for the card. It is empty for a request that does not; nil means that none does.
	Holds func(ctx context.Context, call Call, in T) (what string)

	// Asks reports whether a request of an action that is not destructive needs approval all the same, because it takes something from
	// many people. A scheduled job that names the type has its approval. Nil means that none does.
	Asks func(ctx context.Context, call Call, in T) (bool, error)

	// Tells is what a card says of a request in place of its Sentence, where that could name only an ID; empty for the Sentence.
	Tells func(ctx context.Context, call Call, in T) (what string)

	// Names are what a card calls that which fields name, by fields: a task by its title, where the field has its ID. A field that is not
	// among them stays as it is; one with an empty name is left to the others.
	Names func(ctx context.Context, call Call, in T) map[string]string

	// Plain are fields that the program reads itself, such as a schedule, in its own words: nobody can say anything in them.
	Plain func(ctx context.Context, call Call, in T) map[string]string

	// Settles returns the input of a request that is held, though it is not destructive, with its references resolved to IDs, as Ask
	// does. Channels, roles and users are resolved without it. Nil means that there are no others.
	Settles func(ctx context.Context, call Call, in T) (settled T, err error)

	// Ask prepares a destructive action for its approval. It returns the input with every
	// reference resolved to an ID, so that names and "last" mean the same when it is approved
	// minutes later, and a sentence or two, in Markdown, that describe the effect. Every
	// destructive action has one.
	Ask func(ctx context.Context, call Call, in T) (settled T, what string, err error)

	Do func(ctx context.Context, call Call, in T) (Result, error)
}

// A Demand is what a requester must have.
type Demand struct {
	Channel     chat.ChannelID    // of the rights; empty means the server as a whole
	Rights      []chat.Permission // all of them
	AboveMember chat.UserID       // the requester's highest role must be above this member's
	AboveRole   chat.RoleID       // the same for a role
}

// A Lack is what a user must have for an action, and has not.
type Lack struct {
	User  chat.UserID
	Needs string // completes "needs …", in Markdown
}

// counts reports whether the action is one of the changes of which a turn may make only so many without approval.
func (a *Action) counts() bool { return a.Effect == Mutates || a.Later }

// An Action is a Spec without its type parameter, so that actions of different
// inputs share one registry. Define is the only way to make one.
type Action struct {
	Name        string
	Aliases     []string
	Summary     string
	Sentence    string
	Brief       string
	Notes       []string
	Rare        bool
	Effect      Effect
	Reads       Reads
	Hidden      bool
	Final       bool
	Needs       []chat.Permission
	MayNeed     []chat.Permission
	PassesOn    bool
	Later       bool
	Quiet       bool
	Destructive bool
	Own         bool
	Helps       bool
	Always      bool
	Direct      bool
	TopLevel    bool
	Idempotent  bool
	Limit       time.Duration
	Stores      []string
	Tolerates   []string

	spec     reflect.Value                     // the Spec, for its functions
	input    func() (*schema.Type, error)      // read when it is first wanted, since a start does without;
	examples func() ([]json.RawMessage, error) // so are these
	asJSON   func() json.RawMessage            // and this, which prompts may need in every turn
	flaws    []error                           // mistakes in the definition; NewRegistry reports them
}

// Define turns a Spec into an Action. A mistake in the Spec is remembered and reported by NewRegistry together
// with all others; one in T's tags or in an example by [Registry.Check].
func Define[T any](s Spec[T]) *Action { return define(reflect.TypeFor[T](), reflect.ValueOf(s)) }

// define is Define without its type parameter. A generic function is compiled once for every type, and for a hundred inputs that was
// nearly a megabyte of the running bot. So a Spec is read, and its functions are called, by reflection.
func define(input reflect.Type, spec reflect.Value) *Action {
	a := &Action{spec: spec}
	for _, f := range shared() {
		reflect.ValueOf(a).Elem().Field(f.action).Set(spec.Field(f.spec))
	}
	examples := spec.FieldByName("Examples")
	a.input = sync.OnceValues(func() (*schema.Type, error) { return schema.Of(input) })
	a.examples = sync.OnceValues(func() ([]json.RawMessage, error) { return a.encode(examples) })
	a.asJSON = sync.OnceValue(func() json.RawMessage { return a.schema().JSONSchema() })
	if !a.has("Do") {
		a.flaw("Do is missing")
	}
	if a.Destructive != a.has("Ask") {
		a.flaw("Ask belongs to destructive actions, and each of them has one")
	}
	if examples.Len() == 0 {
		a.flaw("Examples is empty; the model needs one")
	}
	return a
}

// shared returns the positions of what an Action has from its Spec, which are its exported fields. They are the same for all
// inputs.
var shared = sync.OnceValue(func() (fields []struct{ action, spec int }) {
	spec := reflect.TypeFor[Spec[struct{}]]()
	for f := range reflect.TypeFor[Action]().Fields() {
		if f.IsExported() {
			from, _ := spec.FieldByName(f.Name) // one that is not there has no index, so this panics
			fields = append(fields, struct{ action, spec int }{f.Index[0], from.Index[0]})
		}
	}
	return fields
})

// has reports whether the Spec has a function.
func (a *Action) has(function string) bool { return !a.spec.FieldByName(function).IsNil() }

// call calls a function of the Spec. One that it does not have returns zero values.
func (a *Action) call(function string, args ...any) (results []reflect.Value) {
	f := a.spec.FieldByName(function)
	if f.IsNil() {
		for t := range f.Type().Outs() {
			results = append(results, reflect.Zero(t))
		}
		return results
	}
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
	}
	return f.Call(in)
}

// errorIn returns the error in a result, which may be nil.
func errorIn(result reflect.Value) error {
	err, _ := result.Interface().(error)
	return err
}

func (a *Action) flaw(format string, args ...any) {
	a.flaws = append(a.flaws, fmt.Errorf(format, args...))
}

// encode encodes examples and decodes them again, so that those which the model sees are
// certain to be accepted.
func (a *Action) encode(inputs reflect.Value) (examples []json.RawMessage, err error) {
	for i := range inputs.Len() {
		raw, failed := schema.Encode(a.Name, inputs.Index(i).Interface())
		if failed == nil {
			_, failed = a.Bind(raw)
		}
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("example %d: %w", i+1, failed))
		}
		examples = append(examples, raw)
	}
	return examples, err
}

// Fields are the input's members in the order of the struct.
func (a *Action) Fields() []schema.Field { return a.schema().Fields }

// schema describes the input. Tests check that each of them can be read.
func (a *Action) schema() *schema.Type {
	t, err := a.input()
	if err != nil {
		panic(fmt.Sprintf("action %s: %v", a.Name, err))
	}
	return t
}

// JSONSchema describes the input for function calling and MCP. It is always the same text.
func (a *Action) JSONSchema() json.RawMessage { return a.asJSON() }

// Description says what the action does, for function calling and MCP.
func (a *Action) Description() string {
	return strings.Join(append([]string{a.Summary}, a.Notes...), " ")
}

// Examples are requests that are certain to decode, as a model would write them.
func (a *Action) Examples() []json.RawMessage {
	examples, _ := a.examples() // tests check that all of them fit
	return examples
}

// Bind decodes a request's members for this action. The error is an *InputError
// and names everything that is wrong; what was ignored is known even then.
func (a *Action) Bind(args json.RawMessage) (Bound, error) {
	d, err := a.schema().Decode(args)
	if err == nil {
		err = errorIn(a.call("Check", d.Value)[0])
	}
	ignored := slices.DeleteFunc(d.Ignored, func(name string) bool { return slices.Contains(a.Tolerates, name) })
	if err != nil {
		return Bound{Ignored: ignored}, &InputError{Err: err}
	}
	return Bound{Action: a, Input: d.Value, Ignored: ignored}, nil
}

// A Bound is a decoded input joined to its action, ready to run once.
type Bound struct {
	Action  *Action
	Input   any      // the action's own struct
	Ignored []string // keys the model sent that no field accepts

	named []chat.User // whom WithUsers found
}

// NeedsIn is the channel of the request, in which its requester must have the rights in
// Needs. It is empty if that is the server as a whole.
func (b Bound) NeedsIn(ctx context.Context, call Call) (chat.ChannelID, error) {
	out := b.Action.call("NeedsIn", ctx, call, b.Input)
	return out[0].Interface().(chat.ChannelID), errorIn(out[1])
}

// AlsoNeeds is what the requester must have besides Needs.
func (b Bound) AlsoNeeds(ctx context.Context, call Call) ([]Demand, error) {
	out := b.Action.call("AlsoNeeds", ctx, call, b.Input)
	demands, err := out[0].Interface().([]Demand), errorIn(out[1])
	for _, d := range demands {
		for _, p := range d.Rights {
			if err == nil && !b.Action.PassesOn && !slices.Contains(b.Action.Permissions(), p) {
				err = fmt.Errorf("a mistake in the definition of %s, which does not name *%s*; please report it", b.Action.Name, p)
			}
		}
	}
	return demands, err
}

// Permissions are those that the requester must have, or may need. An action that passes permissions on needs those as well.
func (a *Action) Permissions() []chat.Permission {
	all := slices.Clone(a.Needs)
	for _, p := range a.MayNeed {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// Bounded reports whether the action needs rights of the requester.
func (b Bound) Bounded() bool { return len(b.Action.Needs) > 0 || b.Action.has("AlsoNeeds") }

// MayAsk reports whether requests of the action may need approval, whatever was read before.
func (a *Action) MayAsk() bool { return a.Destructive || a.has("Holds") || a.has("Asks") }

// Holds is what a card has to say of the request, because it approves something itself; empty if it does not.
func (b Bound) Holds(ctx context.Context, o Origin) string { return b.holds(ctx, Call{Origin: o}) }

func (b Bound) free(call Call) bool { return b.Action.call("Free", call, b.Input)[0].Bool() }

func (b Bound) holds(ctx context.Context, call Call) string {
	return b.Action.call("Holds", ctx, call, b.Input)[0].String()
}

func (b Bound) asks(ctx context.Context, call Call) (bool, error) {
	out := b.Action.call("Asks", ctx, call, b.Input)
	return out[0].Bool(), errorIn(out[1])
}

func (b Bound) tells(ctx context.Context, call Call) string {
	return b.Action.call("Tells", ctx, call, b.Input)[0].String()
}

func (b Bound) names(ctx context.Context, call Call) map[string]string {
	return b.Action.call("Names", ctx, call, b.Input)[0].Interface().(map[string]string)
}

func (b Bound) plain(ctx context.Context, call Call) map[string]string {
	return b.Action.call("Plain", ctx, call, b.Input)[0].Interface().(map[string]string)
}

func (b Bound) settles(ctx context.Context, call Call) (settled any, err error) {
	if !b.Action.has("Settles") {
		return b.Input, nil
	}
	out := b.Action.call("Settles", ctx, call, b.Input)
	return out[0].Interface(), errorIn(out[1])
}

func (b Bound) ask(ctx context.Context, call Call) (settled any, what string, err error) {
	out := b.Action.call("Ask", ctx, call, b.Input)
	return out[0].Interface(), out[1].String(), errorIn(out[2])
}

func (b Bound) do(ctx context.Context, call Call) (Result, error) {
	out := b.Action.call("Do", ctx, call, b.Input)
	return out[0].Interface().(Result), errorIn(out[1])
}

// request encodes the action's input as a request.
func (a *Action) request(input any) (Request, error) {
	args, err := schema.Encode(a.Name, input)
	return Request{Type: a.Name, Args: args}, err
}

// An InputError is a request whose fields do not fit: the model's mistake, which gets one
// more round.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }
