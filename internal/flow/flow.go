// Package flow turns events into turns: it holds the ways in which work begins, and what each of them may do.
//
// A way in is a rule for who may come in and what may run ([access.Way]); the events that come in by it have a
// [pipeline.Source]. Messages, commands, slash commands, reactions, deferred runs and scheduled jobs have one file each. The
// sources share a [pipeline.Pipeline], which guards, dedupes, accepts, enqueues, runs and settles their events, and resumes
// those that an earlier process left unfinished. [Flows] receives the events of the Discord client.
package flow

import (
	"context"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow/pipeline"
)

// Flows dispatches the events of Discord to the sources. Its methods do not block; Close waits for the work
// they started.
type Flows struct {
	*deps
	questions Questions
	answered  *answerButtons
	messages  *messages
	redos     *redoSource
	commands  *commandSource
	slash     *slashSource
	reactions *reactionSource
	deferred  *deferredSource
	crons     *cronSource
	voice     *voiceSource
	away      *pipeline.Entry[away]
	gaps      *gapReader
	directs   *directFinder
}

// Health returns the current statistics.
func (f *Flows) Health() pipeline.Health { return f.pipe.Health() }

// Busy reports whether a turn runs or waits in a channel.
func (f *Flows) Busy(ch chat.ChannelID) bool { return f.pipe.Busy(ch) }

// ResumedTurns returns the turns of an earlier process that this one has resumed or will resume.
func (f *Flows) ResumedTurns() []chat.TurnID { return f.pipe.ResumedTurns() }

// Close cancels the running turns. They and the queued events are resumed at the next start.
func (f *Flows) Close(ctx context.Context) error { return f.pipe.Close(ctx) }

// Ready handles the start of a new session, in which self is the bot's user. Events may have been missed
// before it, so it resumes unfinished events, reads the gaps and looks for missed answers to questions.
func (f *Flows) Ready(self chat.User) {
	f.self.Become(self)
	f.gather.Missed("")
	f.pipe.Online()
	f.pipe.Resume()
	past := f.inbox.Past()
	f.gaps.read(f.inbox.Gaps(f.gaps.pasts("")))
	f.gaps.read(f.inbox.DirectMessageGaps())
	f.directs.find(past)
	f.reactions.findMissed("")
	f.slash.offer()
}

// GuildAvailable handles the return of a server that was unavailable for a while, within one session.
func (f *Flows) GuildAvailable(g chat.GuildID) {
	f.gather.Missed(g)
	f.pipe.Resume()
	f.gaps.read(f.inbox.Gaps(f.gaps.pasts(g)))
	f.reactions.findMissed(g)
}

// recovered catches up on the events that could not be accepted, now that the inbox can be written again.
func (f *Flows) recovered() {
	f.log.Info("events are accepted again")
	f.gaps.read(f.inbox.TakeRefused())
	f.reactions.findAnswers("")
}

// Message handles a new message.
func (f *Flows) Message(ctx context.Context, m chat.Message) { f.router.tell(ctx, m, pipeline.Live) }

// Edited handles an edit of a message. While the message is queued, the new text replaces the old one; after
// that, an edit is not a new request.
func (f *Flows) Edited(ctx context.Context, m chat.Message) {
	f.gather.Edited(m)
	if f.router.entryOf(ctx, m).Replace(ctx, m) {
		f.log.DebugContext(ctx, "waiting message replaced", "message", m.ID, "channel", m.Place.Channel)
	}
}

// Deleted handles the deletion of a message. If the message is still queued, it is withdrawn, since nobody wants
// the answer; if it was one of the bot's questions, that is forgotten, since nobody can answer it any more.
func (f *Flows) Deleted(ctx context.Context, p chat.Place) {
	f.gather.Deleted(p)
	f.reactions.forget(ctx, p)
	if f.pipe.Withdraw(ctx, p) {
		f.log.DebugContext(ctx, "waiting message withdrawn", "message", p.Message, "channel", p.Channel)
	}
}

// OwnMessage handles a message of the bot itself. Polls become part of the history; what else it says is told when its turn is over.
func (f *Flows) OwnMessage(m chat.Message) {
	f.gather.OwnPoll(m)
	f.inbox.OwnMessage(m.Place)
}

// ChannelSeen handles a channel that is new to the bot. It tracks the channel from here on, so that messages
// sent there while the bot is away count as missed even if the channel was empty before.
func (f *Flows) ChannelSeen(at chat.Place) {
	if f.access.Listens(at) {
		f.inbox.Track(at)
	}
}

// ChannelDeleted handles the deletion of a channel or a thread.
func (f *Flows) ChannelDeleted(at chat.Place) { f.gather.ChannelDeleted(at) }

// Reacted handles a reaction that was added or removed.
func (f *Flows) Reacted(ctx context.Context, told chat.Reacted) { f.reactions.reacted(ctx, told) }

// SlashCommand handles the use of the slash command.
func (f *Flows) SlashCommand(ctx context.Context, i chat.Invocation) {
	if f.slash.on {
		f.slash.in.Tell(ctx, i, pipeline.Live)
	}
}

// Completing handles an autocomplete request for the slash command.
func (f *Flows) Completing(ctx context.Context, typing chat.Completion) {
	f.slash.complete(ctx, typing)
}

// Deferrals returns the source that runs due deferred runs.
func (f *Flows) Deferrals() *deferredSource { return f.deferred }

// Crons returns the source that runs scheduled jobs.
func (f *Flows) Crons() *cronSource { return f.crons }

// Pressed handles the press of a button.
func (f *Flows) Pressed(ctx context.Context, p chat.Press) {
	if why := f.access.Admit(access.ByButton, p.User, p.Place); why != access.Admitted {
		f.log.DebugContext(ctx, "press ignored", "reason", string(why), "message", p.Place.Message, "channel", p.Place.Channel, "user", p.User.ID)
		return
	}
	if id, ok := strings.CutPrefix(p.Button, stopPrefix); ok {
		f.pipe.Stop(id, p.User.ID)
		return
	}
	if !f.answered.pressed(p) && !f.work.Pressed(ctx, p) {
		f.questions.Pressed(ctx, p)
	}
}

// Silent returns mentions of the channels of a server in which the bot does not answer until it is addressed.
func (f *Flows) Silent(g chat.GuildID) []string { return f.silence.on(g) }

// CardEnded adds the outcome of one of the bot's cards to the history, with what it was about, for later prompts.
func (f *Flows) CardEnded(card chat.Place, what, how string, o actions.Origin, outs []actions.Outcome) {
	f.gather.CardEnded(card, what, how, o, outs)
}
