package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/turn"
)

// The buttons below an answer. Their IDs end with the requester, so that they work for as long as the message is there.
const (
	deletePrefix = chat.BelowAnswer + "delete:"
	redoPrefix   = chat.BelowAnswer + "redo:"
)

// below returns the buttons below the answers of a turn. Only the requester can use them.
func (k *deps) below(o actions.Origin, redo bool) turn.Buttons {
	if !k.buttons || o.Requester == "" {
		return nil
	}
	return func(idle bool) []chat.Button {
		list := []chat.Button{{ID: deletePrefix + string(o.Requester), Label: commands.DeleteAnswer}}
		if idle && redo {
			list = append(list, chat.Button{ID: redoPrefix + string(o.Requester), Label: commands.Redo})
		}
		return list
	}
}

// answerButtons handles the buttons below answers.
type answerButtons struct {
	*deps
	past  func(ctx context.Context, at chat.Place) (Past, bool, error)
	redos *redoSource
}

// pressed handles the press of a button below an answer. It returns false for all others.
func (b *answerButtons) pressed(p chat.Press) bool {
	do, by, found := b.deleteAnswer, "", false
	if by, found = strings.CutPrefix(p.Button, deletePrefix); !found {
		do = b.redos.again
		if by, found = strings.CutPrefix(p.Button, redoPrefix); !found {
			return false
		}
	}
	b.pipe.Go("a button below an answer", func(ctx context.Context) {
		if why := b.try(ctx, p, chat.UserID(by), do); why != "" {
			b.tell(ctx, p.Place, p.User, b.server.RespondEphemeral(ctx, p, why))
		}
	})
	return true
}

// picked handles the entries in the menu of a message that do what the buttons do. It returns false for all others. Discord wants
// something to show, also if it worked.
func (b *answerButtons) picked(p chat.Picked) bool {
	do, worked := b.deleteAnswer, "Deleted."
	switch p.Entry {
	case commands.DeleteAnswer:
	case commands.Redo:
		do, worked = b.redos.again, "I am answering it again."
	default:
		return false
	}
	b.pipe.Go("the menu of an answer", func(ctx context.Context) {
		err := b.server.Acknowledge(ctx, p.Answer)
		if err == nil {
			why := b.try(ctx, chat.Press{Place: p.Place, User: p.User, Answer: p.Answer}, "", do)
			err = b.server.Respond(ctx, p.Answer, chat.Outgoing{Text: cmp.Or(why, worked)})
		}
		b.tell(ctx, p.Place, p.User, err)
	})
	return true
}

// try does something with an answer for the person who asked, who is the given one if that is not known any more. It returns why not.
func (b *answerButtons) try(ctx context.Context, p chat.Press, requester chat.UserID,
	do func(context.Context, chat.Press, Past) (string, error)) (why string) {
	past, known, err := b.past(ctx, p.Place)
	if known {
		requester = past.Requester
	}
	switch {
	case err != nil:
	case requester == "":
		return "I know of no answer of mine in that message, or not any more."
	case requester != p.User.ID:
		return fmt.Sprintf("Only %s, who asked, can do that.", requester.Mention())
	default:
		why, err = do(ctx, p, past)
	}
	if err != nil {
		b.log.WarnContext(ctx, "an answer could not be deleted or redone",
			"message", p.Place.Message, "channel", p.Place.Channel, "user", p.User.ID, "err", err)
		return "That did not work. Please try again later."
	}
	return why
}

// tell logs that somebody could not be answered.
func (b *answerButtons) tell(ctx context.Context, at chat.Place, who chat.User, err error) {
	if err != nil {
		b.log.WarnContext(ctx, "cannot answer what was chosen below an answer", "channel", at.Channel, "user", who.ID, "err", err)
	}
}

// deleteAnswer deletes the answer of a turn. What the turn did stays legible, since others may look for it. It returns why
// the answer stays.
func (k *deps) deleteAnswer(ctx context.Context, p chat.Press, past Past) (why string, err error) {
	text := fmt.Sprintf("-# %s deleted this answer. What was done for it:\n%s", p.User.ID.Mention(), strings.Join(past.Lines, "\n"))
	switch {
	case past.Turn == "":
		return "I do not know what was done for this answer, so it stays: I am not done with it yet, or it is too long ago. A moderator can delete it.", nil
	case chat.Length(text) > maxLeft:
		return "So much was done for this answer that it would not fit into one message, so the answer stays. A moderator can delete it.", nil
	}
	for _, m := range past.Answer {
		if m != p.Place.Message {
			err = errors.Join(err, k.delete(ctx, p.Place.Channel, m))
		}
	}
	if len(past.Lines) == 0 {
		return "", errors.Join(err, k.delete(ctx, p.Place.Channel, p.Place.Message))
	}
	return "", errors.Join(err, k.server.Replace(ctx, p.Place.Channel, p.Place.Message, chat.Outgoing{Text: text, Buttons: []chat.Button{}}))
}

// maxLeft bounds what is left of an answer, in characters.
const maxLeft = 1900
