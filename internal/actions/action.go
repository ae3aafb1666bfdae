package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	Brief       string            // a few words behind the signature, where the names do not say enough
	Notes       []string          // further sentences, for when the action is explained
	Rare        bool              // models are told of it only at the words in ExplainWhen
	ExplainWhen []string          // stems of words at which a use that cannot be guessed is explained beforehand
	Effect      Effect            // Mutates unless said otherwise
	Reads       Reads             // of queries, and of others that may show something
	Needs       []chat.Permission // that the requester must have
	Later       bool              // of one that keeps something: it will be posted, so it counts like a change of Discord
	Quiet       bool              // success speaks for itself: no Done line
	Destructive bool              // needs approval
	Own         bool              // is about the requester, whose approval alone counts
	TopLevel    bool              // refused inside a run that an action started
	Idempotent  bool              // safe to repeat when its outcome is unknown: deduped by its Call's IdempotencyKey
	Examples    []T               // at least one; the first is shown to the model
	Check       func(T) error     // what the struct's tags cannot express; may be nil
	Stores      []string          // fields whose text is read outside of the turn, where handles of messages mean nothing
	Tolerates   []string          // fields that models send and that do nothing, without a word about it

	// NeedsIn finds the channel in which the requester must have the rights in Needs. Nil
	// means the server as a whole.
	NeedsIn func(ctx context.Context, call Call, in T) (chat.ChannelID, error)

	// AlsoNeeds finds what else the requester must have: rights in another channel, or a
	// higher role than a member's. It is called after Needs was checked.
	AlsoNeeds func(ctx context.Context, call Call, in T) ([]Demand, error)

	// Free reports whether a request affects only the requester and the readers of the reply, so that it needs
	// no approval in a turn that has read outside text. Queries never do; nil means that all others do.
	Free func(call Call, in T) bool

	// Holds describes a request of an action that is not destructive but needs approval all the same, because it approves something
	// itself: a sentence for the card. It is empty for a request that does not; nil means that none does.
	Holds func(ctx context.Context, call Call, in T) (what string)

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
	Brief       string
	Notes       []string
	ExplainWhen []string
	Rare        bool
	Effect      Effect
	Reads       Reads
	Needs       []chat.Permission
	Later       bool
	Quiet       bool
	Destructive bool
	Own         bool
	TopLevel    bool
	Idempotent  bool

	stores    []string
	tolerates []string
	input     func() (*schema.Type, error)      // read when it is first wanted, since a start does without;
	examples  func() ([]json.RawMessage, error) // so are these
	check     func(any) error
	needsIn   func(context.Context, Call, any) (chat.ChannelID, error)
	alsoNeeds func(context.Context, Call, any) ([]Demand, error)
	free      func(Call, any) bool
	holds     func(context.Context, Call, any) string
	settles   func(context.Context, Call, any) (any, error)
	ask       func(context.Context, Call, any) (any, string, error)
	do        func(context.Context, Call, any) (Result, error)
	bounded   bool    // it needs rights of the requester
	flaws     []error // mistakes in the definition; NewRegistry reports them
}

// Define turns a Spec into an Action. A mistake in the Spec is remembered and reported by NewRegistry together
// with all others; one in T's tags or in an example by [Registry.Check].
func Define[T any](s Spec[T]) *Action {
	a := &Action{
		Name:        s.Name,
		Aliases:     s.Aliases,
		Summary:     s.Summary,
		Brief:       s.Brief,
		Notes:       s.Notes,
		ExplainWhen: s.ExplainWhen,
		Rare:        s.Rare,
		Effect:      s.Effect,
		Reads:       s.Reads,
		Needs:       s.Needs,
		Later:       s.Later,
		Quiet:       s.Quiet,
		Destructive: s.Destructive,
		Own:         s.Own,
		TopLevel:    s.TopLevel,
		Idempotent:  s.Idempotent,
		stores:      s.Stores,
		tolerates:   s.Tolerates,
		bounded:     len(s.Needs) > 0 || s.AlsoNeeds != nil,
		check: func(in any) error {
			if s.Check == nil {
				return nil
			}
			return s.Check(in.(T))
		},
		needsIn: func(ctx context.Context, call Call, in any) (chat.ChannelID, error) {
			if s.NeedsIn == nil {
				return "", nil
			}
			return s.NeedsIn(ctx, call, in.(T))
		},
		alsoNeeds: func(ctx context.Context, call Call, in any) ([]Demand, error) {
			if s.AlsoNeeds == nil {
				return nil, nil
			}
			return s.AlsoNeeds(ctx, call, in.(T))
		},
		free: func(call Call, in any) bool { return s.Free != nil && s.Free(call, in.(T)) },
		holds: func(ctx context.Context, call Call, in any) string {
			if s.Holds == nil {
				return ""
			}
			return s.Holds(ctx, call, in.(T))
		},
		settles: func(ctx context.Context, call Call, in any) (any, error) {
			if s.Settles == nil {
				return in, nil
			}
			return s.Settles(ctx, call, in.(T))
		},
		ask: func(ctx context.Context, call Call, in any) (any, string, error) {
			return s.Ask(ctx, call, in.(T))
		},
		do: func(ctx context.Context, call Call, in any) (Result, error) {
			return s.Do(ctx, call, in.(T))
		},
	}
	a.describe(reflect.TypeFor[T](), func() (inputs []any) {
		for _, in := range s.Examples {
			inputs = append(inputs, in)
		}
		return inputs
	})
	if s.Do == nil {
		a.flaw("Do is missing")
	}
	if s.Destructive != (s.Ask != nil) {
		a.flaw("Ask belongs to destructive actions, and each of them has one")
	}
	if len(s.Examples) == 0 {
		a.flaw("Examples is empty; the model needs one")
	}
	if s.Rare && len(s.ExplainWhen) == 0 {
		a.flaw("a rare action needs words at which it is explained")
	}
	a.checkWords()
	return a
}

func (a *Action) flaw(format string, args ...any) {
	a.flaws = append(a.flaws, fmt.Errorf(format, args...))
}

var actionName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

const (
	maxSummary = 80
	// maxBrief keeps signatures short: they are sent with every turn for every allowed action.
	maxBrief = 90
)

func (a *Action) checkWords() {
	if !actionName.MatchString(a.Name) {
		a.flaw("name %q must be letters and digits, starting with a small letter", a.Name)
	}
	if len(a.Summary) > maxSummary {
		a.flaw("Summary has %d bytes, at most %d", len(a.Summary), maxSummary)
	}
	if len(a.Brief) > maxBrief {
		a.flaw("Brief has %d bytes, at most %d", len(a.Brief), maxBrief)
	}
	for _, sentence := range append([]string{a.Summary}, a.Notes...) {
		if !isSentence(sentence) {
			a.flaw("Summary and Notes must be sentences of one line with a full stop, not %q", sentence)
		}
	}
}

func isSentence(s string) bool {
	return strings.HasSuffix(s, ".") && !strings.Contains(s, "\n")
}

// describe has the input read, and the examples encoded, when they are first wanted.
func (a *Action) describe(input reflect.Type, examples func() []any) {
	a.input = sync.OnceValues(func() (*schema.Type, error) { return schema.Of(input) })
	a.examples = sync.OnceValues(func() ([]json.RawMessage, error) { return a.encode(examples()) })
}

// encode encodes examples and decodes them again, so that those which the model sees are
// certain to be accepted.
func (a *Action) encode(inputs []any) (examples []json.RawMessage, err error) {
	for i, in := range inputs {
		raw, failed := schema.Encode(a.Name, in)
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

// JSONSchema describes the input for function calling and MCP.
func (a *Action) JSONSchema() json.RawMessage { return a.schema().JSONSchema() }

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
		err = a.check(d.Value)
	}
	ignored := slices.DeleteFunc(d.Ignored, func(name string) bool { return slices.Contains(a.tolerates, name) })
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
	return b.Action.needsIn(ctx, call, b.Input)
}

// AlsoNeeds is what the requester must have besides Needs.
func (b Bound) AlsoNeeds(ctx context.Context, call Call) ([]Demand, error) {
	return b.Action.alsoNeeds(ctx, call, b.Input)
}

// Bounded reports whether the action needs rights of the requester.
func (b Bound) Bounded() bool { return b.Action.bounded }

// Holds is what a card has to say of the request, because it approves something itself; empty if it does not.
func (b Bound) Holds(ctx context.Context, o Origin) string {
	return b.Action.holds(ctx, Call{Origin: o}, b.Input)
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
