package flow

import (
	"context"
	"slices"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/flow/pipeline"
)

// guards returns the guards of messages and commands that come in by a way. Their order matters. The access policy
// alone decides who may come in; several guards consult it, each for some of its reasons, so that these checks
// come in their place among the others.
func (s *messages) guards(way func(pipeline.Event[chat.Message]) *access.Way) []pipeline.Guard[chat.Message] {
	list := []struct {
		name    string
		objects func(*access.Way, chat.Message) access.Refusal
	}{
		{"author", s.refused(access.NobodyKnown)},
		{"own message", s.isOwn},
		{"other bot", s.refused(access.AnotherBot)},
		{"bot without a mention", s.isBotsTalk},
		{"kind", isNoMessage},
		{"person", s.refused(access.NotServed, access.NoBot, access.NoWayIn)},
		{"place", s.isNotAdmitted},
		{"words kept back", s.contentWithheld},
		{"secret", s.leaksSecret},
		{"part", s.isHandledByForum},
		{"addressed", s.isNotAddressed},
		{"content", isBlank},
	}
	var guards []pipeline.Guard[chat.Message]
	for _, g := range list {
		objects := func(_ context.Context, e pipeline.Event[chat.Message]) access.Refusal {
			return g.objects(way(e), e.Body)
		}
		guards = append(guards, pipeline.Guard[chat.Message]{Name: g.name, Objects: objects})
	}
	return guards
}

// messageWay returns the way in that a message takes.
func messageWay(e pipeline.Event[chat.Message]) *access.Way {
	switch {
	case e.Body.Author.Bot:
		return access.ByBot
	case e.Body.InDM():
		return access.ByDirectMessage
	case e.Arrival == pipeline.Edited:
		return access.ByEdit
	case e.Arrival != pipeline.Live:
		return access.ByBacklog
	case e.Body.Place.Parent != "":
		return access.ByThread
	}
	return access.ByMessage
}

func (s *messages) isNotAdmitted(way *access.Way, m chat.Message) access.Refusal {
	author := m.Author
	if m.Webhook {
		author.ID = "" // it may be anyone who knows the webhook's URL
	}
	return s.access.Admit(way, author, m.Place)
}

// refused returns a guard that objects if the policy refuses the author for one of these reasons. Other reasons are
// left to later guards.
func (s *messages) refused(reasons ...access.Refusal) func(*access.Way, chat.Message) access.Refusal {
	return func(way *access.Way, m chat.Message) access.Refusal {
		if why := s.isNotAdmitted(way, m); slices.Contains(reasons, why) {
			return why
		}
		return access.Admitted
	}
}

// isHandledByForum is the guard against messages that define a job.
func (s *messages) isHandledByForum(_ *access.Way, m chat.Message) access.Refusal {
	if s.handledByForum != nil && s.handledByForum(context.Background(), m) {
		return "for another part of the bot"
	}
	return access.Admitted
}

func (s *messages) isOwn(_ *access.Way, m chat.Message) access.Refusal {
	if s.self.Is(m.Author.ID) {
		return "the bot's own"
	}
	return access.Admitted
}

// isBotsTalk is the guard against messages of other bots that do not mention this one in their text. Without it, two
// bots could answer each other forever.
func (s *messages) isBotsTalk(_ *access.Way, m chat.Message) access.Refusal {
	if m.Author.Bot && (m.Text == "" || !s.self.IsMentioned(m)) {
		return "a bot that does not mention this one"
	}
	return access.Admitted
}

func isNoMessage(_ *access.Way, m chat.Message) access.Refusal {
	if m.System {
		return "not written by anyone"
	}
	return access.Admitted
}

// withheld is the refusal of a message whose content Discord does not send, because the bot lacks the intent.
const withheld access.Refusal = "Discord keeps its words back"

func (s *messages) contentWithheld(_ *access.Way, m chat.Message) access.Refusal {
	if m.Blank() && !m.Buttons && m.Forwards == nil && !m.InDM() && s.self.IsMentioned(m) {
		return withheld
	}
	return access.Admitted
}

// unknown is the refusal of a message with no content that the bot understands.
const unknown access.Refusal = "nothing in it that is known"

func isBlank(_ *access.Way, m chat.Message) access.Refusal {
	if m.Blank() {
		return unknown
	}
	return access.Admitted
}

// leaksSecret is the guard against secrets in text that is not a valid command: they must not reach a model either.
func (s *messages) leaksSecret(_ *access.Way, m chat.Message) access.Refusal {
	if commands.Secret(s.self.StripMention(m).Text) && !s.self.IsCommand(m) {
		return "a secret"
	}
	return access.Admitted
}

// isNotAddressed is the guard against messages that do not address the bot, if only those that do are answered. A
// command addresses it, and so does what is said in a thread in which the bot takes part, unless it is for others. An
// edit is not checked, since the queued message that it replaces was.
func (s *messages) isNotAddressed(way *access.Way, m chat.Message) access.Refusal {
	switch {
	case way.Everything || way == access.ByEdit || m.InDM() || s.self.IsMentioned(m) || s.isReplyToBot(m) || s.self.IsCommand(m):
		return access.Admitted
	case s.silence.holds(m.Place):
		return access.Silenced
	case !s.addressedOnly, s.talksIn(m.Place) && !s.isForOthers(m):
		return access.Admitted
	}
	return access.Unaddressed
}

// isReplyToBot reports whether the message replies to one of the bot's.
func (s *messages) isReplyToBot(m chat.Message) bool {
	if m.Answers != nil {
		return s.self.Is(m.Answers.Author.ID)
	}
	return m.ReplyTo != "" && s.gather.IsOwn(m.Place.Channel, m.ReplyTo)
}

// joinTalk remembers the thread of a message that mentions the bot or replies to it, unless the bot answers everything anyway.
func (s *messages) joinTalk(ctx context.Context, m chat.Message) {
	if !s.addressedOnly || m.Place.Parent == "" || m.Author.Bot || !s.self.IsMentioned(m) && !s.isReplyToBot(m) {
		return
	}
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	if err := s.talks.add(ctx, m.Place.Channel); err != nil {
		s.log.WarnContext(ctx, "cannot remember a thread, so the bot answers only mentions there after a restart", "channel", m.Place.Channel, "err", err)
	}
}

// talksIn reports whether the bot is part of the talk in a thread: it has opened the thread, or was addressed there before.
func (k *deps) talksIn(at chat.Place) bool {
	if at.Guild == "" || at.Parent == "" {
		return false
	}
	if k.server.OpenedThread(at.Channel) {
		return true
	}
	ctx, cancel := pipeline.Writing(context.Background())
	defer cancel()
	joined, err := k.talks.has(ctx, at.Channel)
	if err != nil {
		k.log.WarnContext(ctx, "cannot look up the threads in which the bot talks", "channel", at.Channel, "err", err)
	}
	return joined
}

// isForOthers reports whether a message answers another person's, or begins with a mention of others.
func (s *messages) isForOthers(m chat.Message) bool {
	return m.ReplyTo != "" && !s.isReplyToBot(m) || strings.HasPrefix(strings.TrimSpace(m.Text), "<@")
}

// hush is what people read below an answer after which the bot is silent in the channel. It is empty where that makes no difference.
func (k *deps) hush(at chat.Place) string {
	if at.Guild == "" || k.addressedOnly && !k.talksIn(at) {
		return ""
	}
	return "-# I stay quiet in this channel until I am mentioned, replied to, or given a command."
}
