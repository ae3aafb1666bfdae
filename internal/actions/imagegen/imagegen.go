// Package imagegen is the category of that name: pictures that the bot has made on request. It fronts the package of the same
// name, which knows the models.
package imagegen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	studio "discoclaw/internal/imagegen"
	"discoclaw/internal/llm"
	"discoclaw/internal/spend"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	actions.Pacer
	actions.Emojis
	// Channel finds a channel or a thread of one server.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// CheckOwn returns which permissions the bot itself lacks in a channel.
	CheckOwn(ch chat.ChannelID, needs ...chat.Permission) error
	// UploadLimit is how many bytes a file may have on a server.
	UploadLimit(g chat.GuildID) int
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
}

// Options are the parts behind the category. All but Once, Posted and Log are required.
type Options struct {
	Studio *studio.Studio
	Quota  *studio.Quota
	Meter  *spend.Meter
	Folder string // where pictures are kept that could not be posted, from which sendFile sends
	// Once sends a message of a part of a turn, idempotently. Nil means that turns are never resumed.
	Once func(ctx context.Context, turn chat.TurnID, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	// Posted returns the message that Once has sent before, or "". It belongs to Once.
	Posted func(ctx context.Context, turn chat.TurnID, part string) (chat.MessageID, error)
	Log    *slog.Logger // nil discards
}

// A Category has pictures made.
type Category struct {
	server Server
	Options
}

// New returns the category imagegen.
func New(s Server, o Options) *Category {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Category{server: s, Options: o}
}

func (*Category) Name() string { return "imagegen" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{
		Env:   "DISCOCLAW_DISCORD_ACTIONS_IMAGEGEN",
		Needs: []actions.Requirement{{AnyOf: []string{"OPENAI_API_KEY", "IMAGEGEN_GEMINI_API_KEY"}}},
	}
}

func (c *Category) Actions() []*actions.Action { return []*actions.Action{c.generateImage()} }

// A GenerateImage has a picture made and posts it.
type GenerateImage struct {
	Prompt   string          `json:"prompt" doc:"What the picture shows, in detail." max:"4000"`
	Channel  chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Channel name or ID; the current one if it is left out."`
	Model    string          `json:"model,omitempty" doc:"Only if people ask for a certain one."`
	Provider string          `json:"provider,omitempty" doc:"Whose model, if none is named." enum:"openai,gemini"`
	Size     string          `json:"size,omitempty" doc:"Such as 1024x1024, 1536x1024, 16:9 or auto."`
	Quality  string          `json:"quality,omitempty" doc:"standard, hd, low, medium or high."`
	Caption  string          `json:"caption,omitempty" doc:"Text to post with it." max:"2000"`
}

func (in GenerateImage) place(call actions.Call) chat.ChannelRef {
	return cmp.Or(in.Channel, chat.ChannelRef(call.Origin.Place.Channel))
}

func (in GenerateImage) wish() studio.Wish {
	return studio.Wish{Prompt: in.Prompt, Provider: in.Provider, Model: in.Model, Size: in.Size, Quality: in.Quality}
}

// mayPost is needed of the requester and of the bot.
var mayPost = []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.AttachFiles}

func (c *Category) generateImage() *actions.Action {
	return actions.Define(actions.Spec[GenerateImage]{
		Name:     "generateImage",
		Aliases:  []string{"IMAGE_GENERATION", "IMAGE_GEN", "CREATE_IMAGE", "MAKE_PICTURE", "DRAW", "DRAW_IMAGE"},
		Summary:  "Have a picture made by an image model and post it.",
		Sentence: "Have a picture made and post it in {channel}: {prompt}[, with the caption {caption}][, of the size {size}][, in {quality} quality][, by the model {model}][, by {provider}]",
		Notes:    []string{"It costs money each time, so never ask for more pictures than people want."},
		Needs:    mayPost,
		MayNeed:  actions.ForEmoji,
		Limit:    studio.MaxTime,
		Examples: []GenerateImage{{Prompt: "A red fox in the snow, at dawn, as a watercolour"}},
		// A repeated request finds the picture in the folder, or that it was paid for.
		Idempotent: true,
		Check: func(in GenerateImage) error {
			_, err := c.Studio.Order(in.wish())
			return err
		},
		NeedsIn: func(ctx context.Context, call actions.Call, in GenerateImage) (chat.ChannelID, error) {
			ch, err := call.TextChannel(ctx, c.server.Channel, in.place(call), "picture")
			return ch.ID, err
		},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in GenerateImage) ([]actions.Demand, error) {
			ch, _ := call.Checked()
			return call.Emoji(ctx, c.server, ch, in.Caption)
		},
		Do: c.do,
	})
}

func (c *Category) do(ctx context.Context, call actions.Call, in GenerateImage) (actions.Result, error) {
	order, err := c.Studio.Order(in.wish())
	if err != nil {
		return actions.Result{}, err
	}
	ch, err := call.TextChannel(ctx, c.server.Channel, in.place(call), "picture")
	if err != nil {
		return actions.Result{}, err
	}
	// All that can be known beforehand is checked before anything is paid for.
	if err := errors.Join(c.Studio.Ready(order), c.server.CheckOwn(ch.ID, mayPost...)); err != nil {
		return actions.Result{}, withRemedy(err)
	}
	var id chat.MessageID
	err = call.Paced(ctx, c.server, ch, func() (err error) {
		id, err = c.produce(ctx, call, order, ch, in.Caption)
		return err
	})
	if err != nil {
		return actions.Result{}, withRemedy(err)
	}
	call.Sent(ch.ID, id)
	at := ch.Place()
	at.Message = id
	done := fmt.Sprintf("posted [the picture](%s) to %s", at.Link(), ch.ID.Mention())
	if len(order.Notes) > 0 {
		done += " (" + strings.Join(order.Notes, "; ") + ")"
	}
	return actions.Result{Summary: done, Undo: actions.TakeBack("the picture", at)}, nil
}

// produce has the picture made, unless an earlier process had, and posts it.
func (c *Category) produce(ctx context.Context, call actions.Call, order studio.Order, ch chat.Channel,
	caption string) (chat.MessageID, error) {
	p := newPost(call, order, caption)
	file, found := p.find(c.Folder)
	if !found {
		picture, err := c.pay(ctx, call, order)
		if errors.Is(err, studio.ErrBegun) {
			return c.before(ctx, call)
		}
		if err != nil {
			return "", err
		}
		file = p.keep(ctx, c, picture)
	}
	return c.post(ctx, call, ch, p, file)
}

// before returns the message of an earlier process, which has taken the picture away when it was posted.
func (c *Category) before(ctx context.Context, call actions.Call) (chat.MessageID, error) {
	part, _ := call.IdempotencyKey() // or it would not have been begun
	if c.Posted != nil {
		if id, err := c.Posted(ctx, call.Origin.Turn, part); err != nil || id != "" {
			return id, err
		}
	}
	return "", studio.ErrBegun
}

// pay has the picture made, within the limits of number and money.
func (c *Category) pay(ctx context.Context, call actions.Call, order studio.Order) (studio.Picture, error) {
	o := call.Origin
	part, _ := call.IdempotencyKey()
	release, err := c.Quota.Take(ctx, studio.Claim{Guild: o.Place.Guild, Person: o.Requester, Them: o.Addressed(), Turn: o.Turn, Part: part})
	if err != nil {
		return studio.Picture{}, err
	}
	usd, known := order.Estimate()
	record, err := c.Meter.BeginImage(ctx, llm.Payer{User: string(o.Requester), Channel: string(o.Place.Channel),
		Job: o.Job, Turn: string(o.Turn), Role: "imagegen"}, order.Model, usd, known)
	if err != nil {
		release(ctx)
		return studio.Picture{}, err
	}
	picture, err := c.Studio.Make(ctx, order)
	failed := (*studio.Failure)(nil)
	switch {
	case err == nil:
		record.Made(picture.USD, picture.Priced)
	case errors.As(err, &failed) && failed.Unpaid:
		record.Unpaid()
		if !failed.Declined {
			release(ctx)
		}
	default:
		record.Made(0, false)
	}
	return picture, err
}

// withRemedy adds what operators can do about an error.
func withRemedy(err error) error {
	failed, refused := (*studio.Failure)(nil), (*llm.Error)(nil)
	switch {
	case errors.As(err, &failed) && failed.Remedy != "":
		return chat.WithRemedy(err, failed.Remedy)
	case failed == nil && errors.As(err, &refused): // by a budget
		return chat.WithRemedy(errors.New(refused.ForMembers()), refused.Remedy)
	}
	return err
}
