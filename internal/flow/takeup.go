package flow

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/convo"
	"discoclaw/internal/inbox"
)

// mostAttempts is how often a turn is begun. What ends the process every time must not do
// so for ever.
const mostAttempts = 3

// takeUp takes up again what an earlier process left, before anything new is heard: oldest
// first, each in its conversation, and with the turn that it had. What was left on a server
// of which nothing is known yet waits until there is: nobody has any rights there.
func (f *Flows) takeUp() {
	if f.Inbox == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	if !f.takenUp.Swap(true) {
		list, err := f.Inbox.Unfinished(ctx)
		if err != nil {
			f.Log.ErrorContext(ctx, "what the last run left is not taken up", "err", err)
			return
		}
		f.left.put(byTurn(list))
	}
	for _, events := range f.left.take(func(e inbox.Event) bool { return !f.Server.Awaits(guildOf(e)) }) {
		f.takeUpTurn(ctx, events)
	}
	for _, turn := range f.left.begun() {
		f.again.add(turn)
	}
}

// guildOf is the server of an event; empty for direct messages. It is part of what every
// kind has as its body.
func guildOf(e inbox.Event) chat.GuildID {
	var b struct {
		Place chat.Place
		Guild chat.GuildID // of what was put off
	}
	_ = json.Unmarshal(e.Body, &b) // who takes it up says what is wrong with it
	return cmp.Or(b.Place.Guild, b.Guild)
}

// byTurn puts together what had begun to have a turn together, in the order of the first.
func byTurn(list []inbox.Event) [][]inbox.Event {
	var turns [][]inbox.Event
	at := map[string]int{}
	for _, e := range list {
		if i, ok := at[e.Turn]; ok && e.Begun && e.Turn != "" {
			turns[i] = append(turns[i], e)
			continue
		}
		at[e.Turn] = len(turns)
		turns = append(turns, []inbox.Event{e})
	}
	return turns
}

// takeUpTurn takes up the events of one turn.
func (f *Flows) takeUpTurn(ctx context.Context, events []inbox.Event) {
	e := events[0]
	f.Log.InfoContext(ctx, "taken up again", "kind", e.Kind, "channel", e.Place.Channel, "message", e.Place.Message, "turn", e.Turn, "attempts", e.Attempts)
	var err error
	switch {
	case e.Kind == inbox.Message:
		err = f.takeUpMessages(ctx, events)
	case e.Kind == inbox.Command:
		err = f.takeUpCommand(ctx, e)
	case e.Kind == inbox.Slash:
		err = f.takeUpSlash(ctx, e)
	case e.Kind == inbox.Reaction:
		err = f.takeUpReaction(ctx, e)
	case e.Kind == inbox.Deferred:
		err = f.takeUpDeferred(ctx, e)
	default:
		err = fmt.Errorf("there is no kind %q", e.Kind)
	}
	if err != nil {
		f.Log.ErrorContext(ctx, "not taken up", "kind", e.Kind, "message", e.Place.Message, "err", err)
		f.abandon(ctx, events...)
	}
}

func ids(events []inbox.Event) []string {
	var list []string
	for _, e := range events {
		list = append(list, e.ID)
	}
	return list
}

// takeUpMessages takes up messages that had a turn together, or wait for one. A turn that
// had begun is had again as it was: nothing joins it, and nothing changes it any more.
func (f *Flows) takeUpMessages(ctx context.Context, events []inbox.Event) error {
	said := make([]chat.Message, len(events))
	for i, e := range events {
		if err := json.Unmarshal(e.Body, &said[i]); err != nil {
			return err
		}
	}
	last, e := said[len(said)-1], events[0]
	if !f.isStillAdmitted(ctx, wayBack(last), last.Author, last.Place, events...) || f.hasFailedOften(last.Place, events...) {
		return nil
	}
	f.people.met(last.Author)
	for _, m := range said {
		f.seen.add(m.ID)
		f.missed.add(m.ID)
		f.hear(m)
	}
	if !e.Begun {
		f.convo.Add(f.messageWork(last, e.Turn))
		return nil
	}
	f.again.add(e.Turn)
	work, blind := "again-"+e.Turn, f.isBlind(last.Place, last.Author.ID)
	f.convo.Add(convo.Work{ID: work, Channel: last.Place.Channel, Said: said, Run: func(ctx context.Context, said []chat.Message) {
		f.answerMessages(ctx, work, e.Turn, said, blind)
	}})
	return nil
}

// wayBack is the way in that a message takes from while the bot was away.
func wayBack(m chat.Message) access.Way {
	if m.Author.Bot {
		return access.ByBot
	}
	return access.ByBacklog
}

// isStillAdmitted asks the one function that lets people in. Who is not served any more
// gets no answer.
func (f *Flows) isStillAdmitted(ctx context.Context, way access.Way, who chat.User, at chat.Place, events ...inbox.Event) bool {
	why := f.Access.Admit(way, who, at)
	if why != access.Admitted {
		f.log(ctx, "not taken up", why, at, who)
		f.abandon(ctx, events...)
	}
	return why == access.Admitted
}

// hasFailedOften gives up what was begun too often, and says so.
func (f *Flows) hasFailedOften(at chat.Place, events ...inbox.Event) bool {
	if !wasBegunOften(events...) {
		return false
	}
	f.inOrder(at.Channel, "given-up-"+events[0].ID, func(ctx context.Context) {
		f.Log.ErrorContext(ctx, "given up", "channel", at.Channel, "message", at.Message, "attempts", mostAttempts)
		f.Report(ctx, fmt.Sprintf("⚠️ A message in %s was given up after %d tries, because the bot ended each time: %s", at.Whereabouts(), mostAttempts, at.Link()))
		f.giveUp(ctx, chat.Message{ID: at.Message, Place: at}, "⚠️ I could not answer this after three tries; each time the bot ended before the answer was there. Its log may say why.", events...)
	})
	return true
}

// wasBegunOften says whether a turn was begun as often as one may be.
func wasBegunOften(events ...inbox.Event) bool {
	return slices.ContainsFunc(events, func(e inbox.Event) bool { return e.Attempts >= mostAttempts })
}

// inOrder says something in a channel when it is its turn there. What the bot does not get
// to, it says after the next start.
func (f *Flows) inOrder(ch chat.ChannelID, id string, say func(context.Context)) {
	f.convo.Add(convo.Work{ID: id, Channel: ch, Apart: true, Run: func(ctx context.Context, _ []chat.Message) {
		if ctx.Err() == nil {
			say(ctx)
		}
	}})
}

// takeUpCommand runs a command that waits. One that had begun is never run again, since
// nobody knows how far it came.
func (f *Flows) takeUpCommand(ctx context.Context, e inbox.Event) error {
	var body commandBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err
	}
	m := body.Message
	if !f.isStillAdmitted(ctx, wayBack(m), m.Author, m.Place, e) {
		return nil
	}
	f.seen.add(m.ID)
	f.missed.add(m.ID)
	if c, args, ok := f.Commands.Find(m.Text); ok && !e.Begun {
		if f.isLate(m) {
			f.convo.Add(f.lateCommand(c, m))
		} else {
			f.command(ctx, c, m, args)
		}
		return nil
	}
	f.inOrder(m.Place.Channel, "interrupted-"+e.ID, func(ctx context.Context) { f.tellInterrupted(ctx, body, e) })
	return nil
}

// tellInterrupted says that a command was interrupted, unless that was after its answer.
func (f *Flows) tellInterrupted(ctx context.Context, c commandBody, e inbox.Event) {
	switch answered, err := f.wasAnsweredWhole(ctx, c); {
	case answered:
		f.forgo(ctx, c.Message)
	case err != nil && (isPassing(err) || ctx.Err() != nil):
		f.conclude(ctx, err, e.ID) // later, so that it does not stand below the answer
	default:
		f.giveUp(ctx, c.Message, interruption(c.Ending != ""), e)
	}
}

// interruption is what people are told of a command that had begun. It was run, if the bot was
// about to answer.
func interruption(done bool) string {
	if done {
		return "⚠️ The bot was done with this command, but its answer may not be here, or not all of it. Please look what came of it before you write it again."
	}
	return "⚠️ The bot was restarted in the middle of this command. Please look how far it came before you write it again."
}

// tokenTime is how long who used a slash command can be answered.
// https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages
const tokenTime = 15 * time.Minute

// takeUpSlash tells who used a slash command that it was interrupted, if it had begun and
// they can still be told. Before that, Discord has told them that nobody answers.
func (f *Flows) takeUpSlash(ctx context.Context, e inbox.Event) error {
	var body slashBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err
	}
	i := body.Invocation
	f.seen.add(chat.MessageID(i.Answer.ID))
	f.settle(ctx, inbox.Failed, e.ID)
	if e.Begun && time.Since(e.Accepted) < tokenTime && f.Access.Admit(access.BySlashCommand, i.User, i.Place) == access.Admitted {
		f.aside.Go("interrupted slash command", func(ctx context.Context) {
			// Below the answer, of which nobody knows whether it is there. If not, Discord puts
			// this in its place.
			if err := f.Server.RespondMore(ctx, i.Answer, chat.Outgoing{Text: interruption(body.Done)}); err != nil {
				_ = f.undelivered(ctx, i.Place, err) // is in the log; nobody else can tell them
			}
		})
	}
	return nil
}

// takeUpReaction takes up a reaction. A question that it answers is answered by now.
func (f *Flows) takeUpReaction(ctx context.Context, e inbox.Event) error {
	var b reactionBody
	if err := json.Unmarshal(e.Body, &b); err != nil {
		return err
	}
	r := &reaction{Reacted: b.reacted(), question: b.Question, asked: f.Server.Now().Add(-time.Since(e.Accepted))}
	if !f.isStillAdmitted(ctx, access.ByReaction, r.User, r.Place, e) || f.hasFailedOften(r.Place, e) {
		return nil
	}
	if r.question != nil {
		if _, err := f.Choices.Resolve(ctx, r.Place.Message); err != nil {
			return err
		}
	}
	if e.Begun {
		f.again.add(e.Turn)
	}
	f.taken.add(r.act())
	f.convo.Add(f.reactionWork(r, e.ID, e.Turn))
	return nil
}

// Again are the turns that an earlier process began and this one goes on with. It is known
// once Ready has returned for the first time.
func (f *Flows) Again() []string { return f.again.all() }
