package channels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A ThreadListArchived shows the archive of a channel.
type ThreadListArchived struct {
	Target
	Limit int `json:"limit,omitempty" rare:"yes" doc:"How many." min:"1" max:"100" default:"50"`
}

// threadListArchived: for the archive, Discord also requires Read Message History.
func (c *Category) threadListArchived() *actions.Action {
	return define(c, actions.Spec[ThreadListArchived]{
		Name:     "threadListArchived",
		Summary:  "List the archived threads of a channel or forum, latest first.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Needs:    []chat.Permission{chat.ViewChannel, chat.ReadHistory},
		Examples: []ThreadListArchived{{Target: Target{"general"}}},
	}, func(ctx context.Context, _ actions.Call, ch chat.Channel, in ThreadListArchived) (actions.Result, error) {
		found, err := c.server.ArchivedThreads(ctx, ch.ID, in.Limit)
		if err != nil {
			return actions.Result{}, err
		}
		did := actions.Listed("listed", len(found), "archived thread", "archived threads") + " in"
		return actions.FoundIn(archive(ch, found, in.Limit), did, ch), nil
	})
}

func archive(ch chat.Channel, found []chat.Channel, limit int) string {
	if len(found) == 0 {
		return "No archived threads in " + called(ch)
	}
	lines := []string{fmt.Sprintf("Archived threads in %s (%d):", called(ch), len(found))}
	for _, thread := range found {
		lines = append(lines, fmt.Sprintf("• %s (id:%s)", chat.Name(thread.Name), thread.ID))
	}
	if len(found) == limit {
		lines = append(lines, "there may be older ones, which a higher limit shows")
	}
	return strings.Join(lines, "\n")
}

// A ThreadEdit changes a thread.
type ThreadEdit struct {
	Thread             chat.ChannelRef      `json:"threadId" alias:"thread,channelId,channel" doc:"Thread name or ID."`
	Name               string               `json:"name,omitempty" doc:"New name." max:"100"`
	AppliedTags        schema.Opt[[]string] `json:"appliedTags,omitzero" doc:"All tags that a post shall have, names or IDs; an empty list for none." max:"5"`
	Archived           schema.Opt[bool]     `json:"archived,omitzero" doc:"Whether it shall be archived."`
	Locked             schema.Opt[bool]     `json:"locked,omitzero" doc:"Whether only those who manage threads may write in it."`
	Pinned             schema.Opt[bool]     `json:"pinned,omitzero" doc:"Whether a post shall be on top of its forum, in place of the one that is."`
	AutoArchiveMinutes schema.Opt[int]      `json:"autoArchiveMinutes,omitzero" rare:"yes" doc:"Archive when idle for 60, 1440, 4320 or 10080 minutes."`
}

// archiveMinutes are the idle times that Discord allows: an hour, a day, three days and a week.
var archiveMinutes = []int{60, 1440, 4320, 10080}

func (in ThreadEdit) check() error {
	switch {
	case !in.rewrites() && !in.Archived.Given && !in.Pinned.Given:
		return errors.New("nothing to change; give a name, appliedTags, archived, locked, pinned or autoArchiveMinutes")
	case in.Archived.Value && in.Pinned.Value:
		return errors.New("a post cannot be archived and pinned at the same time; leave one of the two out")
	case in.AutoArchiveMinutes.Given && !slices.Contains(archiveMinutes, in.AutoArchiveMinutes.Value):
		return fmt.Errorf("autoArchiveMinutes: %d is not one of 60, 1440, 4320, 10080", in.AutoArchiveMinutes.Value)
	}
	return nil
}

// rewrites reports whether something else changes than whether it is archived or pinned.
func (in ThreadEdit) rewrites() bool {
	return in.Name != "" || in.AppliedTags.Given || in.Locked.Given || in.AutoArchiveMinutes.Given
}

// idle is how long a thread may be idle from now on.
func (in ThreadEdit) idle() time.Duration {
	return time.Duration(in.AutoArchiveMinutes.Value) * time.Minute
}

func (c *Category) threadEdit() *actions.Action {
	return actions.Define(actions.Spec[ThreadEdit]{
		Name:     "threadEdit",
		Brief:    "also posts; appliedTags: whole list",
		Summary:  "Rename, archive or lock a thread or forum post; tag a post or pin it on top.",
		Sentence: "Change {threadId}:[, rename it to {name}][, {appliedTags?set its tags to $|remove its tags}][, {archived?archive it|take it out of the archive}][, {locked?lock it|unlock it}][, {pinned?pin it to the top of its forum|unpin it}][, archive it when it is idle for {autoArchiveMinutes:minute}]",
		Notes:    []string{"An archived thread is found by its ID, or by its name once threadListArchived has shown it."},
		Needs:    []chat.Permission{chat.ViewChannel, chat.ManageThreads},
		Examples: []ThreadEdit{{Thread: "123456789012345678", AppliedTags: schema.Some([]string{"done"})}},
		Check:    ThreadEdit.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in ThreadEdit) (chat.ChannelID, error) {
			thread, err := c.thread(ctx, call, in.Thread)
			return thread.ID, err
		},
		Plain: c.plainTags,
		Do:    c.doThreadEdit,
	})
}

// plainTags tells the clean reader which tags come and go: the list has all, also those that stay.
func (c *Category) plainTags(ctx context.Context, call actions.Call, in ThreadEdit) map[string]string {
	thread, err := c.thread(ctx, call, in.Thread)
	if err != nil || !in.AppliedTags.Given {
		return nil
	}
	tags, err := c.server.Tags(ctx, thread.Parent)
	if err != nil {
		return nil
	}
	names := func(refs []string) (list []string) {
		for _, ref := range refs {
			if i := slices.IndexFunc(tags, func(t chat.Tag) bool { return t.ID == ref }); i >= 0 {
				ref = tags[i].Name
			}
			list = append(list, ref)
		}
		return list
	}
	return map[string]string{"appliedTags": call.Differs(names(thread.AppliedTags), names(in.AppliedTags.Value), "one of the forum's tags")}
}

func (c *Category) doThreadEdit(ctx context.Context, call actions.Call, in ThreadEdit) (actions.Result, error) {
	thread, err := c.thread(ctx, call, call.About(in.Thread))
	if err != nil {
		return actions.Result{}, err
	}
	was, warning, replaced := c.named(ctx, call, thread), "", chat.ChannelID("")
	if in.rewrites() {
		if warning, err = c.rewrite(ctx, thread, in); err != nil {
			return actions.Result{}, err
		}
	}
	if in.Pinned.Given {
		if replaced, err = c.server.SetPinned(ctx, thread.ID, in.Pinned.Value); err != nil {
			return actions.Result{}, err
		}
	}
	if in.Archived.Given || in.Pinned.Value {
		warning = "" // it was to be unarchived anyway
	}
	if in.Archived.Given {
		if _, err := c.server.SetArchived(ctx, thread.ID, in.Archived.Value); err != nil {
			return actions.Result{}, err
		}
	}
	now := thread
	now.Name = string(in.Name)
	summary := in.changed(was, c.named(ctx, call, now), thread, replaced)
	if warning != "" {
		summary += "; " + warning
	}
	return actions.Done(nil, summary, threadBack(thread, in, replaced)...)
}

// archiving, locking and pinning are what was done to a thread.
var (
	archiving = map[bool]string{true: "archived", false: "reopened"}
	locking   = map[bool]string{true: "locked", false: "unlocked"}
	pinning   = map[bool]string{true: "pinned", false: "unpinned"}
)

// changed says what was changed: "renamed **old** to **new** and changed its tags".
func (in ThreadEdit) changed(was, is string, thread chat.Channel, replaced chat.ChannelID) string {
	var parts []string
	it := thread.ID.Mention()
	object, owner := it, "the tags of "+it
	if in.Name != "" {
		parts = append(parts, renamed(was, is))
		object, owner = "it", "its tags"
	}
	if in.AppliedTags.Given {
		parts = append(parts, "changed "+owner)
		object = "it"
	}
	if in.Locked.Given {
		parts = append(parts, locking[in.Locked.Value]+" "+object)
		object = "it"
	}
	if in.AutoArchiveMinutes.Given {
		parts = append(parts, "set "+object+" to be archived when it is idle for "+chat.Span(in.idle()))
		object = "it"
	}
	if in.Pinned.Given {
		part := pinning[in.Pinned.Value] + " " + object
		if replaced != "" {
			part += " in place of " + replaced.Mention()
		}
		parts = append(parts, part)
		object = "it"
	}
	if in.Archived.Given {
		parts = append(parts, archiving[in.Archived.Value]+" "+object)
	}
	return chat.And(parts)
}

// rewrite changes everything but whether a thread is archived or pinned.
func (c *Category) rewrite(ctx context.Context, thread chat.Channel, in ThreadEdit) (warning string, err error) {
	edit := chat.ThreadEdit{Tags: in.AppliedTags.OrNil(), Locked: in.Locked.OrNil()}
	if in.Name != "" {
		edit.Name = new(chat.OneLine(in.Name))
	}
	if in.AutoArchiveMinutes.Given {
		edit.ArchiveAfter = new(in.idle())
	}
	_, warning, err = c.server.EditThread(ctx, thread.ID, edit)
	return warning, err
}

// threadBack restores a thread, as far as it was changed, and the pin of the post that it replaced.
func threadBack(was chat.Channel, in ThreadEdit, replaced chat.ChannelID) []actions.Inverse {
	back := ThreadEdit{Thread: chat.ChannelRef(was.ID)}
	if in.Name != "" {
		back.Name = was.Name
	}
	if in.AppliedTags.Given {
		back.AppliedTags = schema.Some(append([]string{}, was.AppliedTags...))
	}
	if in.Locked.Given {
		back.Locked = schema.Some(was.Locked)
	}
	if in.AutoArchiveMinutes.Given {
		back.AutoArchiveMinutes = schema.Some(int(was.ArchiveAfter / time.Minute))
	}
	if in.Archived.Given || was.Archived && in.Pinned.Value { // pinning opens it
		back.Archived = schema.Some(was.Archived)
	}
	if in.Pinned.Given || was.Pinned && in.Archived.Value { // archiving unpins it
		back.Pinned = schema.Some(was.Pinned)
	}
	all := []actions.Inverse{actions.Reverse("change "+was.ID.Mention()+" back", "threadEdit", back)}
	if replaced != "" {
		all = append(all, actions.Reverse("pin "+replaced.Mention()+" again", "threadEdit", ThreadEdit{Thread: chat.ChannelRef(replaced), Pinned: schema.Some(true)}))
	}
	return all
}
