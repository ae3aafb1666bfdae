// Package reactionprompt is the category reactionPrompt: questions that are answered with a
// reaction.
//
// The action sends the question and adds the choices as reactions. It does not wait: the
// answer is a turn of its own, which a reaction begins, be it after a restart. Until then
// the question is in a choices.Store.
package reactionprompt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	actions.Emojis
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	Delete(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error
	React(ctx context.Context, ch chat.ChannelID, id chat.MessageID, e chat.Emoji) error
}

// A Category asks questions.
type Category struct {
	server    Server
	questions *choices.Store
}

// New returns the category reactionPrompt with a store for its questions.
func New(s Server, questions *choices.Store) *Category {
	return &Category{server: s, questions: questions}
}

func (*Category) Name() string { return "reactionPrompt" }

// Flag is that of messaging: a question is a message.
func (*Category) Flag() actions.Flag { return actions.Flag{Shares: "messaging"} }

func (c *Category) Actions() []*actions.Action { return []*actions.Action{c.ask()} }

// A Prompt is a question with the emoji that answer it. A model's timeout is ignored like
// every unknown field: the question waits.
type Prompt struct {
	Question string       `json:"question" doc:"The whole question and what each emoji means: when it is answered, you know nothing else of this conversation." max:"2000"`
	Choices  []chat.Emoji `json:"choices" doc:"The emoji to choose from." min:"2" max:"9"`
}

func (c *Category) ask() *actions.Action {
	return actions.Define(actions.Spec[Prompt]{
		Name:      "reactionPrompt",
		Rare:      true,
		Stores:    []string{"question"},
		Brief:     "first emoji pressed calls you",
		Tolerates: []string{"timeoutSeconds"},
		Summary:   "Ask people here to choose with a reaction; the answer comes later.",
		Sentence:  "Ask in {where}: {question}, to be answered with {choices}",
		Notes:     []string{"Do not wait and do not ask again: you are called when somebody has chosen."},
		Needs:     []chat.Permission{chat.ViewChannel, chat.SendMessages},
		MayNeed:   actions.ForEmoji,
		Examples:  []Prompt{{Question: "Ship build 12? ✅ ships it now, ❌ leaves it for tomorrow.", Choices: []chat.Emoji{"✅", "❌"}}},
		Check:     checkDistinct,
		NeedsIn: func(_ context.Context, call actions.Call, _ Prompt) (chat.ChannelID, error) {
			return call.Origin.Place.Channel, nil
		},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in Prompt) ([]actions.Demand, error) {
			return call.Emoji(ctx, c.server, call.Origin.Place.Channel, append(chat.As[string](in.Choices), in.Question)...)
		},
		Do: c.doAsk,
	})
}

// checkDistinct refuses choices that Discord would merge.
func checkDistinct(in Prompt) error {
	for i, e := range in.Choices {
		for _, other := range in.Choices[:i] {
			if e.Same(other) {
				return fmt.Errorf("choices: %s is there twice; every choice must be another emoji", shown(e))
			}
		}
	}
	return nil
}

func (c *Category) doAsk(ctx context.Context, call actions.Call, in Prompt) (actions.Result, error) {
	at := call.Origin.Place
	if at.Channel == "" {
		return actions.Result{}, errors.New("there is no channel here to ask in")
	}
	id, err := c.server.Send(ctx, at.Channel, chat.Outgoing{Text: in.Question})
	if err != nil {
		return actions.Result{}, err
	}
	// A reaction may come as soon as the first choice is there, so the question is registered
	// before.
	err = c.questions.Register(ctx, choices.Question{
		Message: id, Channel: at.Channel, Guild: at.Guild, Requester: call.Origin.Requester,
		Prompters: call.Origin.Prompters, Text: in.Question, Choices: in.Choices,
		Outside: call.Origin.Outside, Depth: call.Origin.Depth,
	})
	if err != nil {
		return actions.Result{}, c.takeBack(ctx, at.Channel, id, fmt.Errorf("I could not keep the question: %w", err))
	}
	for _, e := range in.Choices {
		if err := c.server.React(ctx, at.Channel, id, e); err != nil {
			return actions.Result{}, c.takeBack(ctx, at.Channel, id, fmt.Errorf("the choice %s does not work: %w", shown(e), err))
		}
	}
	call.Sent(at.Channel, id)
	at.Message = id
	return actions.Result{Summary: fmt.Sprintf("posted [a question](%s); react to answer it", at.Link()), Seen: true}, nil
}

// cleaning is the timeout of deleting a question. It happens even if the turn was
// cancelled.
const cleaning = 10 * time.Second

// takeBack deletes a question with missing choices. It returns the reason, joined with its
// own error.
func (c *Category) takeBack(ctx context.Context, ch chat.ChannelID, id chat.MessageID, reason error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancel()
	err := c.questions.Forget(ctx, id)
	if late := c.server.Delete(ctx, ch, id); err == nil {
		err = late
	}
	if err != nil {
		return fmt.Errorf("%w (and the question could not be taken back: %w)", reason, err)
	}
	return fmt.Errorf("%w (the question was taken back)", reason)
}

// shown is an emoji as text: a custom one by its name.
func shown(e chat.Emoji) string {
	if name, _, ok := strings.Cut(string(e), ":"); ok {
		return ":" + name + ":"
	}
	return string(e)
}
