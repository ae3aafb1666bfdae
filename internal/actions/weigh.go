package actions

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/consent"
)

// In a turn that has read outside text, the model may have been steered by it. So its changes are weighed before anything runs: some always
// ask on a card, and of the others a clean reader, which sees nothing from outside, says which follow from the asker's own words. These
// run as if nothing had been read, the rest is held.

// A weighed request is one that waits for a card, unless the asker's words ask for it.
type weighed struct {
	request Request // with its references resolved: exactly this runs
	line    string  // for the clean reader
	asks    bool    // on a card, whatever the words are
	named   bool    // the words name all that it touches
	last    bool    // it is about the latest message, which an earlier request may send
	asked   bool    // the words ask for it
}

// maxUnnamed is how many changes of a reply may be about what the words do not name. More ask.
const maxUnnamed = 3

// errWeighed ends a request that is only weighed.
var errWeighed = errors.New("weighed")

// weigh returns which requests of a reply the asker's words ask for. What it does not return is nil there.
func (d *Dispatcher) weigh(ctx context.Context, call Call, g Gate, reqs []Request, p progress) []*weighed {
	list := make([]*weighed, len(reqs))
	if call.mass || !d.readsFor(call.Origin) {
		return list
	}
	decided, known := p.recallConsent()
	unnamed := call.Origin.Wish.Unnamed
	for i, r := range reqs[:min(len(reqs), maxActions)] {
		if args, asked := decided[p.name(i)]; known {
			if asked { // also one that had begun, and is repeated
				list[i] = &weighed{request: Request{Type: r.Type, Args: args}, asked: true}
			}
			continue
		}
		if _, begun := p.recall(i); begun {
			continue
		}
		list[i] = d.weighOne(ctx, call, g, r)
		if w := list[i]; w != nil && !w.asks && !w.named {
			unnamed++
		}
		call.makes = append(call.makes, member(r, "name"))
	}
	if !known {
		d.ask(ctx, call.Origin, list, unnamed)
		if ctx.Err() == nil { // otherwise the resumed turn asks once more
			p.keepConsent(ctx, list)
		}
	}
	return list
}

// ask has the clean reader say which of the weighed requests were asked for. After an error none is.
func (d *Dispatcher) ask(ctx context.Context, o Origin, list []*weighed, unnamed int) {
	var open []*weighed
	for _, w := range list {
		if w != nil && !w.asks && (w.named || unnamed <= maxUnnamed) {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		return
	}
	var lines []string
	for _, w := range open {
		lines = append(lines, w.line)
	}
	for i, asked := range d.asked(ctx, o, lines) {
		open[i].asked = asked
	}
	waits := false
	for _, w := range list {
		if w != nil {
			w.asked = w.asked && !(waits && w.last)
			waits = waits || !w.asked
		}
	}
}

// asked asks the clean reader about wanted actions.
func (d *Dispatcher) asked(ctx context.Context, o Origin, wanted []string) []bool {
	w := o.Wish
	request := consent.Request{Earlier: w.Earlier, Words: w.Words, Stands: w.stands(), Done: w.Done, Wanted: wanted}
	asked, err := d.Consent(o).Asked(ctx, request)
	if err != nil && d.Warn != nil {
		d.Warn(ctx, "cannot tell what was asked for", err)
	}
	return asked
}

// Weighed reports whether the request is not run, but only looked at beforehand.
func (c Call) Weighed() bool { return c.weigh != nil }

// readsFor reports whether the clean reader is asked for a turn.
func (d *Dispatcher) readsFor(o Origin) bool {
	return d.taintOf(o) == TaintCheck && o.Wish.speaks() && d.Consent != nil
}

// IsWanted reports whether the asker's words ask for what is no action.
func (d *Dispatcher) IsWanted(ctx context.Context, o Origin, what string) bool {
	return d.readsFor(o) && d.asked(ctx, o, []string{what})[0]
}

// speaks reports whether there are words of an asker.
func (w *Wish) speaks() bool { return w != nil && w.Words != "" }

// weighOne weighs a request, which passes all checks and is not run. It is nil for one that needs no weighing, or that fails.
func (d *Dispatcher) weighOne(ctx context.Context, call Call, g Gate, r Request) (w *weighed) {
	action, v := g.lookup(r.Type)
	if v.Decision != Allowed || action.Effect == Queries || action.Destructive || r.Lacks != "" {
		return nil
	}
	b, err := action.Bind(r.Args)
	if err != nil {
		return nil
	}
	defer func() { _ = recover() }() // it panics again when it runs, and is reported then
	call.weigh = func(ctx context.Context, call Call, b Bound) {
		if call.tainted(b) && !call.granted(ctx, b) {
			w = d.weighChecked(ctx, call, b)
		}
	}
	_, err = d.run(ctx, call, b)
	if w == nil && mayDepend(err) && !errors.Is(err, errWeighed) && call.dependsOn(b) {
		b = b.withNamed(ctx, call)
		if plain, err := action.request(b.Input); err == nil {
			w = d.judge(ctx, call, b, plain)
		}
	}
	return w
}

// weighChecked weighs a request whose rights were checked.
func (d *Dispatcher) weighChecked(ctx context.Context, call Call, b Bound) *weighed {
	if slices.Contains(refsIn[chat.MessageRef](b), chat.Last) { // it means another one when an earlier request has sent it
		r, err := b.Action.request(b.Input)
		if err != nil {
			return nil
		}
		return d.judge(ctx, call, b, r)
	}
	r, err := call.settled(ctx, b)
	if err == nil {
		b, err = b.Action.Bind(r.Args)
	}
	if err != nil {
		return nil
	}
	return d.judge(ctx, call, b, r)
}

func (d *Dispatcher) judge(ctx context.Context, call Call, b Bound, r Request) *weighed {
	w := wishing{call.Origin.Wish, call, d}
	return &weighed{request: r, line: w.wanted(ctx, b, r), asks: w.asksAnyway(ctx, b, r), named: w.named(ctx, b, r),
		last: slices.Contains(refsIn[chat.MessageRef](b), chat.Last)}
}

// strong are permissions that are not given on a reader's word.
var strong = []chat.Permission{chat.Administrator, chat.ManageMessages, chat.MentionEveryone, chat.ViewAuditLog, chat.MoveMembers,
	chat.MuteMembers, chat.DeafenMembers}

// weighty are permissions with which people change the server or others. What needs them has to be named.
var weighty = []chat.Permission{chat.ManageServer, chat.ManageRoles, chat.ManageChannels, chat.ManagePermissions, chat.ManageThreads,
	chat.ManageNicknames, chat.ManageWebhooks, chat.ManageEvents, chat.ModerateMembers, chat.KickMembers, chat.BanMembers}

// asksAnyway reports whether a request waits for a card even if the asker's words ask for it. In doubt it does.
func (w wishing) asksAnyway(ctx context.Context, b Bound, r Request) bool {
	a := b.Action
	if a.Final || slices.Contains(a.Needs, chat.Operator) || b.holds(ctx, w.call) != "" || w.brings(b, r) || w.empowers(ctx, b, r) {
		return true
	}
	if asks, err := b.asks(ctx, w.call); asks || err != nil {
		return true
	}
	demands, err := b.AlsoNeeds(ctx, w.call)
	if err != nil && !mayDepend(err) {
		return true
	}
	rights := slices.Clone(a.Needs)
	for _, d := range demands {
		rights = append(rights, d.Rights...)
	}
	heavy := slices.ContainsFunc(rights, func(p chat.Permission) bool { return slices.Contains(weighty, p) })
	return heavy && !w.named(ctx, b, r)
}

// empowers reports whether a request gives anybody a strong permission, or opens a channel that not everybody here may read.
func (w wishing) empowers(ctx context.Context, b Bound, r Request) bool {
	isStrong := func(p chat.Permission) bool { return slices.Contains(strong, p) || slices.Contains(weighty, p) }
	var given struct{ Allow, Clear, Permissions []chat.Permission }
	if b.Action.PassesOn {
		_ = json.Unmarshal(r.Args, &given) // it was decoded before
	}
	gives := slices.Concat(given.Allow, given.Clear, given.Permissions)
	if slices.ContainsFunc(gives, isStrong) {
		return true
	}
	if ch, ok := w.call.Checked(); ok && slices.Contains(gives, chat.ViewChannel) && !w.call.Tells(ctx, w.call.readable, ch) {
		return true
	}
	if len(refsIn[chat.UserRef](b)) == 0 || b.Action.PassesOn {
		return false
	}
	return slices.ContainsFunc(refsIn[chat.RoleRef](b), func(ref chat.RoleRef) bool { return w.givesPower(ctx, ref, isStrong) })
}

// givesPower reports whether a role has a strong permission, on the server or in a channel, or lets people into a channel.
func (w wishing) givesPower(ctx context.Context, ref chat.RoleRef, isStrong func(chat.Permission) bool) bool {
	g := w.call.Origin.Place.Guild
	role, err := w.d.Roles(ctx, g, ref)
	switch {
	case err != nil && w.call.willMake(string(ref)):
		return false // what that gives is weighed where it is made, and nobody gets it before
	case err != nil || w.d.RoleOpens == nil:
		return true
	}
	allowed, err := w.d.RoleOpens(g, role.ID)
	return err != nil || slices.Contains(allowed, chat.ViewChannel) || slices.ContainsFunc(slices.Concat(role.Permissions, allowed), isStrong)
}

// reaching are parts of a text that reach beyond it: links, invites, mentions.
var reaching = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:https?://|www\.|discord\.gg/|discord(?:app)?\.com/invite/)[^\s<>)\]]+|<@[!&]?\d+>|@everyone|@here`)
})

// brings reports whether a request posts or keeps a link, a mention or a file that the asker has not written.
func (w wishing) brings(b Bound, r Request) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Args, &fields) != nil {
		return true
	}
	words := strings.ToLower(w.Words)
	for _, f := range b.Action.Fields() {
		var value any
		if json.Unmarshal(fields[f.Name], &value) != nil || f.Message {
			continue
		}
		for _, text := range textsIn(value) {
			for _, found := range reaching().FindAllString(text, -1) {
				if !strings.Contains(words, strings.ToLower(found)) {
					return true
				}
			}
			if f.Name == "filePath" && !strings.Contains(words, strings.ToLower(text)) {
				return true
			}
		}
	}
	return false
}

// namings are the fields with names that people and prompts see in lists.
var namings = []string{"name", "nickname", "topic", "title"}

// markNames records the names that were given after outside text was read, and that the asker has not written: they may be from there.
func (d *Dispatcher) markNames(o Origin, out Outcome, r Request) {
	if d.MarkName == nil || !out.Done() {
		return
	}
	for _, field := range namings {
		name := member(r, field)
		if _, own := chat.Spelled(o.Wish.Words, name); name != "" && !own {
			d.MarkName(o.Outside, o.Place.Guild, name)
		}
	}
}

// errWithheld does not say what was read, since a model gets it, too.
var errWithheld = errors.New("not shown, because not everybody here may see it and I have been reading texts by others; " +
	"to have it shown here, name it yourself, as in “show me plan-007 here”")

// withheld returns why a query's result is kept from the model of a turn that has read outside text; nil if it is not: everybody here could
// know it, or the asker's words ask for it. Otherwise a stranger could have it quoted.
func (d *Dispatcher) withheld(ctx context.Context, call Call, b Bound, found Result) error {
	if call.taint == "" || call.taint == TaintOff || call.afterwards || found.Found == "" || call.Origin.Place.Guild == "" ||
		d.Known(ctx, call.Origin, found) && !b.Action.Hidden {
		return nil
	}
	if d.readsFor(call.Origin) {
		b = b.withNamed(ctx, call)
		r, err := b.Action.request(b.Input)
		w := wishing{call.Origin.Wish, call, d}
		if err == nil && d.asked(ctx, call.Origin, []string{w.wanted(ctx, b, r)})[0] {
			return nil
		}
	}
	return errWithheld
}

// MayLeak reports whether words that leave Discord may repeat what not everybody here may know, because outside text wants it so: the turn
// has read both, and the asker has not written these words.
func (c Call) MayLeak(words string) bool {
	if !c.Origin.Private || c.taint == "" || c.taint == TaintOff || c.afterwards {
		return false
	}
	own := false
	if c.Origin.Wish != nil {
		_, own = chat.Spelled(c.Origin.Wish.Words, words)
	}
	return !own
}

// Known reports whether everybody who reads a place may know what was found.
func (d *Dispatcher) Known(ctx context.Context, o Origin, found Result) bool {
	switch {
	case o.Place.Guild == "":
		return true // a direct message
	case len(found.From) == 0:
		return found.Open
	case d.Readable == nil:
		return false
	}
	call := Call{Origin: o}
	return !slices.ContainsFunc(found.From, func(source chat.ChannelID) bool { return !call.Tells(ctx, d.Readable, source) })
}
