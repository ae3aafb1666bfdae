package flow

import (
	"context"
	"slices"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// guards are those of messages and commands that come in by a way. Their order is part of the rules. They ask the
// policy in between, which has the one answer to who may come in: each of those that do takes
// a part of it.
func (s *messages) guards(way func(Event[chat.Message]) *access.Way) []Guard[chat.Message] {
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
		{"addressed", s.isNotAddressed},
		{"content", isBlank},
	}
	var guards []Guard[chat.Message]
	for _, g := range list {
		guards = append(guards, Guard[chat.Message]{g.name, func(_ context.Context, e Event[chat.Message]) access.Refusal {
			return g.objects(way(e), e.Body)
		}})
	}
	return guards
}

// messageWay is the way in that a message takes.
func messageWay(e Event[chat.Message]) *access.Way {
	switch {
	case e.Body.Author.Bot:
		return access.ByBot
	case e.Body.InDM():
		return access.ByDirectMessage
	case e.Arrival == Edited:
		return access.ByEdit
	case e.Arrival != Live:
		return access.ByBacklog
	case e.Body.Place.Parent != "":
		return access.ByThread
	}
	return access.ByMessage
}

func (s *messages) isNotAdmitted(way *access.Way, m chat.Message) access.Refusal {
	author := m.Author
	if m.Webhook {
		author.ID = "" // anyone who knows the webhook's address
	}
	return s.Access.Admit(way, author, m.Place)
}

// refused is a guard that objects where the policy refuses somebody for one of these
// reasons. Others are left to the guards after it.
func (s *messages) refused(reasons ...access.Refusal) func(*access.Way, chat.Message) access.Refusal {
	return func(way *access.Way, m chat.Message) access.Refusal {
		if why := s.isNotAdmitted(way, m); slices.Contains(reasons, why) {
			return why
		}
		return access.Admitted
	}
}

func (s *messages) isOwn(_ *access.Way, m chat.Message) access.Refusal {
	if s.isSelf(m.Author.ID) {
		return "the bot's own"
	}
	return access.Admitted
}

// isBotsTalk: bots that are let in must mean this one, by its ID in their words. To
// answer whatever they say would have two bots talk for ever.
func (s *messages) isBotsTalk(_ *access.Way, m chat.Message) access.Refusal {
	if m.Author.Bot && (m.Text == "" || !s.isMentioned(m)) {
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

// withheld is why a message cannot be answered whose words Discord does not tell.
const withheld access.Refusal = "Discord keeps its words back"

func (s *messages) contentWithheld(_ *access.Way, m chat.Message) access.Refusal {
	if m.Blank() && !m.Buttons && m.Forwards == nil && !m.InDM() && s.isMentioned(m) {
		return withheld
	}
	return access.Admitted
}

// unknown is why a message cannot be answered in which nothing is known.
const unknown access.Refusal = "nothing in it that is known"

func isBlank(_ *access.Way, m chat.Message) access.Refusal {
	if m.Blank() {
		return unknown
	}
	return access.Admitted
}

// leaksSecret: a secret that is no proper command must not reach a model either.
func (s *messages) leaksSecret(_ *access.Way, m chat.Message) access.Refusal {
	if commands.Secret(s.stripMention(m).Text) && !s.isCommand(m) {
		return "a secret"
	}
	return access.Admitted
}

// isNotAddressed: where not everything is answered, the bot must be meant. A command
// means it, and a change does not make a message that waits another's.
func (s *messages) isNotAddressed(way *access.Way, m chat.Message) access.Refusal {
	if !s.AddressedOnly || way.Everything || way == access.ByEdit || m.InDM() || s.isMentioned(m) || s.isReplyToBot(m) || s.isCommand(m) {
		return access.Admitted
	}
	return "not addressed to the bot"
}

func (k *kit) isMentioned(m chat.Message) bool {
	self := k.self.Load()
	return self != nil && slices.Contains(m.Mentions, self.ID)
}

// isReplyToBot says whether the message replies to one of the bot's.
func (s *messages) isReplyToBot(m chat.Message) bool {
	if m.Answers != nil {
		return s.isSelf(m.Answers.Author.ID)
	}
	return m.ReplyTo != "" && s.history.Mine(m.Place.Channel, m.ReplyTo)
}

func (k *kit) isCommand(m chat.Message) bool {
	_, _, ok := k.Commands.Find(k.stripMention(m).Text)
	return ok
}

// stripMention takes the mention of the bot off the beginning of a message, where it only
// says who is meant. One that is all there is stays.
func (k *kit) stripMention(m chat.Message) chat.Message {
	self := k.self.Load()
	if self == nil {
		return m
	}
	rest := strings.TrimSpace(m.Text)
	for _, mention := range []string{"<@" + string(self.ID) + ">", "<@!" + string(self.ID) + ">"} {
		if after, ok := strings.CutPrefix(rest, mention); ok {
			rest = strings.TrimLeft(after, " \t\n,:")
			break
		}
	}
	if rest != "" {
		m.Text = rest
	}
	return m
}
