package flow

import (
	"context"
	"fmt"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
)

// stale is the reason for dropping an old command: what it was about may be long over.
const stale pipeline.Reason = "written when it could not be run"

// commandSource is the source of commands that people write as messages. A command does not wait for the turn
// that runs in its channel, since it may be about that turn.
type commandSource struct {
	*messages
	commands *commands.Table // may be nil
	in       *pipeline.Entry[chat.Message]
}

func openCommands(m *messages, o Options) *commandSource {
	s := &commandSource{messages: m, commands: o.Commands}
	s.in = pipeline.Open(m.pipe, pipeline.Source[chat.Message]{
		Kind:   inbox.Command,
		Way:    messageWay,
		Guards: m.guards(messageWay),
		Key: func(m chat.Message) pipeline.Key {
			return pipeline.Key{ID: inbox.EventID(m.ID), Place: m.Place, By: m.Author}
		},
		Tidy:    m.tidy,
		Allow:   s.allow,
		Store:   withoutSecret,
		Ignored: m.ignored,
		Refused: s.refuse,
		Accepted: func(_ context.Context, e pipeline.Event[chat.Message]) bool {
			s.silence.end(e.Place)
			return true
		},
		Expired: s.expired,
		Notices: s.dropped,
		AtOnce:  true,
		Do:      s.do,
	})
	m.router.add(func(_ context.Context, m chat.Message) bool { return s.self.IsCommand(m) }, s.in)
	return s
}

// withoutSecret returns a command as the inbox stores it. The text is left out if it holds a secret, which only
// the secret store may keep.
func withoutSecret(m chat.Message) any {
	m.Answers, m.Reactions = nil, nil
	if commands.Secret(m.Text) {
		m.Text = ""
	}
	return m
}

// allow refuses most commands to other bots: they get only those that are marked ForBots.
func (s *commandSource) allow(m chat.Message) access.Refusal {
	if why := s.messages.allow(m); why != access.Admitted {
		return why
	}
	if c, _, _ := s.commands.Find(s.self.StripMention(m).Text); m.Author.Bot && !c.ForBots {
		return access.AnotherBot
	}
	return access.Admitted
}

// refuse handles a command that could not be written to the inbox, like a message. A secret that everybody in the
// channel can read cannot wait, though: that command runs at once, which deletes the message.
func (s *commandSource) refuse(ctx context.Context, e pipeline.Event[chat.Message], err error) {
	c, args, _ := s.commands.Find(e.Body.Text)
	if !s.commands.Misplaced(c, e.Place) {
		s.messages.refuse(ctx, e, err)
		return
	}
	s.pipe.Go("!"+c.Name, func(ctx context.Context) {
		text, err := s.commands.Answer(ctx, c, e.Body, args)
		if err == nil {
			_, err = s.server.Send(ctx, e.Place.Channel, chat.Outgoing{Text: text})
		}
		if err != nil {
			s.log.ErrorContext(ctx, "command failed", "name", c.Name, "channel", e.Place.Channel, "message", e.Place.Message, "err", err)
		}
	})
}

// expired drops a command that had begun, since nobody knows how far it got, one whose text was not stored
// because it holds a secret, and one that is late. If the answer is in the ledger, it is delivered instead.
func (s *commandSource) expired(_ context.Context, e pipeline.Event[chat.Message], answered bool) (pipeline.Reason, error) {
	_, _, known := s.commands.Find(e.Body.Text)
	switch {
	case answered:
		return "", nil
	case e.Begun || !known:
		return pipeline.Interrupted, nil
	case s.isLate(e):
		return stale, nil
	}
	return "", nil
}

func (s *commandSource) dropped(e pipeline.Event[chat.Message], why pipeline.Reason) pipeline.DropNotices {
	if c, _, known := s.commands.Find(e.Body.Text); why == stale && known {
		return pipeline.DropNotices{Text: fmt.Sprintf("`!%s` was written when I could not run it, so I left it alone. Write it again if you still want it.", c.Name)}
	}
	if why == pipeline.Unposted {
		return dropped(e, why)
	}
	return pipeline.DropNotices{Text: interruption}
}

// interruption is the notice about a command that had begun when the process ended.
const interruption = "⚠️ I was restarted in the middle of this command. Please check how far it got before you write it again."

func (s *commandSource) do(ctx context.Context, r pipeline.Run[chat.Message]) (pipeline.Done, error) {
	m := r.Last().Body
	c, args, _ := s.commands.Find(m.Text)
	s.users.remember(m.Author)
	return s.answer(ctx, c, m, args)
}

// answer runs a command and returns its reply.
func (s *commandSource) answer(ctx context.Context, c commands.Command, m chat.Message, args string) (pipeline.Done, error) {
	s.log.InfoContext(ctx, "command", "name", c.Name, "message", m.ID, "user", m.Author.ID)
	reply, err := s.commands.Answer(ctx, c, m, args)
	if commands.Secret(m.Text) {
		m.Text = "" // Done goes into the report, which must not hold a secret
	}
	return pipeline.Done{Command: c.Name, Message: m, Reply: reply}, err
}
