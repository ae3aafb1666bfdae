package fakediscord

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A threadEdit is the JSON of changes to a thread.
type threadEdit struct {
	Name        *string   `json:"name"`
	Archived    *bool     `json:"archived"`
	Locked      *bool     `json:"locked"`
	AutoArchive *int      `json:"auto_archive_duration"`
	Tags        *[]string `json:"applied_tags"`
	Slowmode    *int      `json:"rate_limit_per_user"`
	Invitable   *bool     `json:"invitable"`
	Flags       *int      `json:"flags"`
}

// more reports whether another field than archived changes.
func (in threadEdit) more() bool {
	return in.Name != nil || in.Locked != nil || in.AutoArchive != nil || in.Tags != nil || in.Slowmode != nil || in.Invitable != nil || in.Flags != nil
}

func (c *call) editThread(ch *Channel, may Permissions) (answer, error) {
	var in threadEdit
	if _, err := c.fields("name", "archived", "locked", "auto_archive_duration", "applied_tags", "rate_limit_per_user", "invitable", "flags"); err != nil {
		return answer{}, err
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	changed := ch.clone()
	if err := in.apply(&changed, c.now()); err != nil {
		return answer{}, err
	}
	if err := c.mayEditThread(ch, in, may); err != nil {
		return answer{}, err
	}
	if in.Tags != nil {
		if err := c.checkApplied(c.channels[ch.Parent], ch.AppliedTags, *in.Tags, may); err != nil {
			return answer{}, err
		}
	}
	if in.Flags != nil {
		if err := c.checkFlags(ch, *in.Flags); err != nil {
			return answer{}, err
		}
	}
	before := ch.Name
	c.auditChannel(auditChannelUpdate, ch, channelChanges(ch, &changed)...)
	*ch = changed
	c.emitThread(ch, before, c.bot)
	return ok(c.threadJSON(ch))
}

// apply sets the given fields of a thread.
func (in threadEdit) apply(ch *Channel, now time.Time) error {
	if in.Name != nil {
		ch.Name = strings.TrimSpace(*in.Name)
	}
	set(&ch.Flags, in.Flags)
	if in.Archived != nil && *in.Archived != ch.Archived {
		ch.archive(*in.Archived, now)
	}
	if in.Locked != nil {
		ch.Locked = *in.Locked
	}
	if in.AutoArchive != nil {
		ch.AutoArchive, ch.ArchivedAt = *in.AutoArchive, now
	}
	if in.Tags != nil {
		ch.AppliedTags = *in.Tags
	}
	set(&ch.Slowmode, in.Slowmode)
	if in.Invitable != nil && ch.Type == PrivateThread {
		ch.NoInvites = !*in.Invitable
	}
	switch n := chat.Length(ch.Name); {
	case ch.Slowmode < 0 || ch.Slowmode > maxSlowmode:
		return errSlowmode
	case n == 0 || n > maxChannelName:
		return invalid("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxChannelName)
	case !slices.Contains(archiveTimes, ch.AutoArchive):
		return errArchiveTime
	}
	return nil
}

// mayEditThread checks the rights: members who manage threads may change everything, the
// thread's owner nearly everything, and every member who can write may unarchive it.
// https://discord.com/developers/docs/topics/threads#editing-deleting-threads
func (c *call) mayEditThread(ch *Channel, in threadEdit, may Permissions) error {
	waking := in.Archived != nil && !*in.Archived
	switch {
	case ch.Archived && !waking && in.more():
		return errArchived
	case may.Has(manageThreads):
		return nil
	case ch.Locked:
		return errLocked
	case in.Locked != nil, in.Slowmode != nil, in.Flags != nil:
		return errMissingPermissions
	case ch.Owner == c.bot.ID:
		return nil
	case waking && !in.more() && may.Has(sendInThreads):
		return nil
	}
	return errMissingPermissions
}

// archivedThreads lists the public archived threads of a channel.
func archivedThreads(c *call) (answer, error) {
	ch, _, err := c.place()
	if err != nil {
		return answer{}, err
	}
	return c.archived(func(t *Channel) bool { return t.Type == ch.Type.threads() })
}

// archivedPrivateThreads lists the private ones, for those who manage threads.
func archivedPrivateThreads(c *call) (answer, error) {
	_, may, err := c.place()
	switch {
	case err != nil:
		return answer{}, err
	case !may.Has(manageThreads):
		return answer{}, errMissingPermissions
	}
	return c.archived(func(t *Channel) bool { return t.Type == PrivateThread })
}

// myArchivedThreads lists the private ones that the bot is in.
func myArchivedThreads(c *call) (answer, error) {
	return c.archived(func(t *Channel) bool { return t.Type == PrivateThread && slices.Contains(t.Members, c.bot.ID) })
}

// archived lists archived threads of the channel of the path, the one that was archived last first.
func (c *call) archived(meant func(*Channel) bool) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	limit, err := c.number("limit", 50, 2, 100)
	if err != nil {
		return answer{}, err
	}
	before, err := c.moment("before")
	switch {
	case err != nil:
		return answer{}, err
	case !ch.Type.TakesThreads():
		return answer{}, errWrongChannelType
	case !may.Has(readHistory):
		return answer{}, errMissingAccess
	}
	var found []*Channel
	for _, t := range c.channels {
		if t.Parent == ch.ID && t.Archived && meant(t) && (before.IsZero() || t.ArchivedAt.Before(before)) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *Channel) int {
		return cmp.Or(b.ArchivedAt.Compare(a.ArchivedAt), compareIDs(string(b.ID), string(a.ID)))
	})
	threads, members := []object{}, []object{}
	for _, t := range found[:min(limit, len(found))] {
		threads = append(threads, c.threadJSON(t))
		if slices.Contains(t.Members, c.bot.ID) {
			members = append(members, c.threadMemberJSON(t, c.bot.ID))
		}
	}
	return ok(object{"threads": threads, "members": members, "has_more": len(found) > limit})
}

// moment reads a query parameter that is a time.
func (c *call) moment(name string) (time.Time, error) {
	text := c.param(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, invalid(name, "DATE_TIME_TYPE_PARSE", "Could not parse %s. Should be ISO8601.", text)
	}
	return at, nil
}
