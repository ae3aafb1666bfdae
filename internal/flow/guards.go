package flow

import (
	"slices"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// A guard says why a message is not for the bot, or nothing. Their order is part of
// the rules: the first that objects decides.
type guard struct {
	name    string
	objects func(*Flows, access.Way, chat.Message) access.Refusal
}

// messageGuards ask the policy in between, which has the one answer to who may come in:
// each of those that do takes a part of it.
var messageGuards = []guard{
	{"author", refused(access.NobodyKnown)},
	{"own message", (*Flows).isOwn},
	{"other bot", refused(access.AnotherBot)},
	{"bot without a mention", (*Flows).isBotsTalk},
	{"kind", isNoMessage},
	{"person", refused(access.NotServed, access.NoBot, access.NoWayIn)},
	{"place", (*Flows).isNotAdmitted},
	{"words kept back", (*Flows).isKeptBack},
	{"content", isEmpty},
	{"secret", (*Flows).isTold},
	{"addressed", (*Flows).isNotAddressed},
}

// objection is that of the first guard that has one.
func (f *Flows) objection(way access.Way, m chat.Message) access.Refusal {
	for _, g := range messageGuards {
		if why := g.objects(f, way, m); why != access.Admitted {
			return why
		}
	}
	return access.Admitted
}

// wayOf is the way in that a message takes.
func wayOf(m chat.Message) access.Way {
	switch {
	case m.Author.Bot:
		return access.ByBot
	case m.Place.Parent != "":
		return access.ByThread
	}
	return access.ByMessage
}

// wayOfEdit is the way in that a change of a message takes.
func wayOfEdit(m chat.Message) access.Way {
	if m.Author.Bot {
		return access.ByBot
	}
	return access.ByEdit
}

func (f *Flows) isNotAdmitted(way access.Way, m chat.Message) access.Refusal {
	author := m.Author
	if m.Webhook {
		author.ID = "" // anyone who knows the webhook's address
	}
	return f.Access.Admit(way, author, m.Place)
}

// refused is a guard that objects where the policy refuses somebody for one of these
// reasons. Others are left to the guards after it.
func refused(reasons ...access.Refusal) func(*Flows, access.Way, chat.Message) access.Refusal {
	return func(f *Flows, way access.Way, m chat.Message) access.Refusal {
		if why := f.isNotAdmitted(way, m); slices.Contains(reasons, why) {
			return why
		}
		return access.Admitted
	}
}

func (f *Flows) isOwn(_ access.Way, m chat.Message) access.Refusal {
	if f.isSelf(m.Author.ID) {
		return "the bot's own"
	}
	return access.Admitted
}

// isBotsTalk: bots that are let in must mean this one, by its ID in their words. To
// answer whatever they say would have two bots talk for ever.
func (f *Flows) isBotsTalk(_ access.Way, m chat.Message) access.Refusal {
	if m.Author.Bot && (m.Text == "" || !f.isMentioned(m)) {
		return "a bot that does not mention this one"
	}
	return access.Admitted
}

func isNoMessage(_ *Flows, _ access.Way, m chat.Message) access.Refusal {
	if m.System {
		return "not written by anyone"
	}
	return access.Admitted
}

// keptBack is why a message cannot be answered whose words Discord does not tell.
const keptBack access.Refusal = "Discord keeps its words back"

func (f *Flows) isKeptBack(_ access.Way, m chat.Message) access.Refusal {
	nothing := m.Text == "" && len(m.Attachments)+len(m.Embeds)+m.Stickers == 0 && m.Poll == nil
	if nothing && !m.InDM() && f.isMentioned(m) {
		return keptBack
	}
	return access.Admitted
}

func isEmpty(_ *Flows, _ access.Way, m chat.Message) access.Refusal {
	if strings.TrimSpace(m.Text) == "" && len(m.Attachments) == 0 {
		return "nothing to answer"
	}
	return access.Admitted
}

// isTold: a secret that is no proper command must not reach a model either.
func (f *Flows) isTold(_ access.Way, m chat.Message) access.Refusal {
	if commands.Secret(f.uncalled(m).Text) && !f.isCommand(m) {
		return "a secret"
	}
	return access.Admitted
}

// isNotAddressed: where not everything is answered, the bot must be meant. A command
// means it, and a change does not make a message that waits another's.
func (f *Flows) isNotAddressed(way access.Way, m chat.Message) access.Refusal {
	if !f.AddressedOnly || way == access.ByEdit || m.InDM() || f.isMentioned(m) || f.isAnswered(m) || f.isCommand(m) {
		return access.Admitted
	}
	return "not addressed to the bot"
}

func (f *Flows) isMentioned(m chat.Message) bool {
	self := f.self.Load()
	return self != nil && slices.Contains(m.Mentions, self.ID)
}

// isAnswered says whether the message replies to one of the bot's.
func (f *Flows) isAnswered(m chat.Message) bool {
	if m.Answers != nil {
		return f.isSelf(m.Answers.Author.ID)
	}
	return m.ReplyTo != "" && f.history.Mine(m.Place.Channel, m.ReplyTo)
}

func (f *Flows) isCommand(m chat.Message) bool {
	_, _, ok := f.Commands.Find(f.uncalled(m).Text)
	return ok
}

// uncalled takes the mention of the bot off the beginning of a message, where it only
// says who is meant. One that is all there is stays.
func (f *Flows) uncalled(m chat.Message) chat.Message {
	self := f.self.Load()
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
