package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// overwriteBody is an overwrite for a role or a member. The numbers are too large for some JSON
// parsers, so they are sent as strings.
type overwriteBody struct {
	ID    string                            `json:"id,omitempty"` // unless the address has it
	Type  discordgo.PermissionOverwriteType `json:"type"`
	Allow string                            `json:"allow"`
	Deny  string                            `json:"deny"`
}

func (o overwrite) body() overwriteBody {
	id, kind := string(o.role), discordgo.PermissionOverwriteTypeRole
	if o.member != "" {
		id, kind = string(o.member), discordgo.PermissionOverwriteTypeMember
	}
	return overwriteBody{ID: id, Type: kind, Allow: strconv.FormatInt(o.allow, 10), Deny: strconv.FormatInt(o.deny, 10)}
}

// Overwrites returns the permission overwrites of a channel. A thread has those of its channel.
func (c *Client) Overwrites(ctx context.Context, g chat.GuildID, id chat.ChannelID) ([]chat.Overwrite, error) {
	ch, err := c.channelOf(ctx, g, id)
	if err == nil && ch.Kind == chat.Thread {
		ch, err = c.channelOf(ctx, g, ch.Parent)
	}
	if err != nil {
		return nil, err
	}
	return each(ch.overwrites, overwrite.public), nil
}

func (o overwrite) public() chat.Overwrite {
	return chat.Overwrite{Role: o.role, Member: o.member, Allow: rightNames(o.allow), Deny: rightNames(o.deny)}
}

// EditOverwrite changes the overwrite of a channel for a role or a member. A right that is not
// named stays as it is; an overwrite that neither allows nor denies anything is removed. The bot can
// only allow and deny its own rights, and does not lose sight of the channel: it lets itself in, or
// changes nothing.
func (c *Client) EditOverwrite(ctx context.Context, g chat.GuildID, id chat.ChannelID, e chat.OverwriteEdit) (chat.OverwriteChange, error) {
	// Fetched, not from the cache: a concurrent change by others must not be undone.
	ch, err := c.fetchChannel(ctx, id)
	switch {
	case err != nil:
		return chat.OverwriteChange{}, err
	case ch.Guild != g:
		return chat.OverwriteChange{}, rest.NotFound("there is no channel %s on this server", id)
	case ch.Kind == chat.Thread:
		return chat.OverwriteChange{}, errors.New("a thread has the permissions of its channel; change them there")
	}
	before := ch.overwriteFor(overwrite{role: e.Role, member: e.Member})
	after, err := before.changed(e)
	change := chat.OverwriteChange{Was: before.public(), Is: after.public()}
	if err != nil || after == before {
		return change, err
	}
	if keep := c.losing(ch, after); keep != 0 {
		change.Kept = rightNames(keep)
		return change, c.putAndStay(ctx, ch, before, after, keep)
	}
	return change, c.putOverwrite(ctx, ch, before, after)
}

// losing returns the permissions that the bot would lose by an overwrite and has to keep: what everyone is denied, since it could not
// undo that, and in any case the sight of the channel.
func (c *Client) losing(ch channel, o overwrite) int64 {
	after := ch.with(o)
	lost := c.cache.botRights(ch.Guild, &ch) &^ c.cache.botRights(ch.Guild, &after)
	var needed int64 = discordgo.PermissionViewChannel
	if o.role == chat.RoleID(ch.Guild) {
		needed |= o.deny // not what goes with it: without View Channel there is nothing else either
	}
	return lost & needed
}

// putAndStay replaces an overwrite that takes permissions from the bot, and lets the bot keep them, by an overwrite of its own
// that comes before.
func (c *Client) putAndStay(ctx context.Context, ch channel, before, after overwrite, keep int64) error {
	was := ch.overwriteFor(overwrite{member: c.Self().ID})
	if was.same(after) {
		return errors.New("that would hide the channel from me, and I could not undo it; change it in Discord")
	}
	own := was
	own.allow, own.deny = own.allow|keep, own.deny&^keep
	if err := c.putOverwrite(ctx, ch, was, own); err != nil {
		return fmt.Errorf("that would hide the channel from me, or take away what I need there, and I could not let myself in first, so nothing was changed: %w", err)
	}
	err := c.putOverwrite(ctx, ch.with(own), before, after)
	if err != nil {
		// Best effort: seeing what it sees already does no harm.
		_ = c.putOverwrite(ctx, ch.with(own), own, was)
	}
	return err
}

// privateRules returns the overwrites of a new private channel. They replace those that it would have from
// its category, whose others are kept: a muted member stays so.
func (c *Client) privateRules(g chat.GuildID, n chat.NewChannel) []overwrite {
	const view = discordgo.PermissionViewChannel
	parent, _ := c.cache.channel(n.Parent)
	ch := channel{overwrites: parent.overwrites}
	for _, o := range parent.overwrites {
		o.allow &^= view
		ch = ch.with(o)
	}
	everyone := ch.overwriteFor(overwrite{role: chat.RoleID(g)})
	everyone.deny |= view
	ch = ch.with(everyone)
	for _, who := range lettingIn(n.Roles, slices.Concat(n.Members, []chat.UserID{c.Self().ID})) {
		who = ch.overwriteFor(who)
		who.allow, who.deny = who.allow|view, who.deny&^view
		ch = ch.with(who)
	}
	return ch.overwrites
}

// lettingIn returns empty overwrites of roles and members.
func lettingIn(roles []chat.RoleID, members []chat.UserID) []overwrite {
	var all []overwrite
	for _, r := range roles {
		all = append(all, overwrite{role: r})
	}
	for _, m := range members {
		all = append(all, overwrite{member: m})
	}
	return all
}

// rightsNamed returns all rights that overwrites name. The bot must have them.
func rightsNamed(list []overwrite) []chat.Permission {
	var bits int64
	for _, o := range list {
		bits |= o.allow | o.deny
	}
	return rightNames(bits)
}

// overwriteFor returns the overwrite for the same role or member, which is empty if there is none.
func (ch channel) overwriteFor(o overwrite) overwrite {
	if i := slices.IndexFunc(ch.overwrites, o.same); i >= 0 {
		return ch.overwrites[i]
	}
	return o
}

// with returns the channel with an overwrite replaced, added, or removed if it is empty.
func (ch channel) with(o overwrite) channel {
	ch.overwrites = slices.DeleteFunc(slices.Clone(ch.overwrites), o.same)
	if o.allow|o.deny != 0 {
		ch.overwrites = append(ch.overwrites, o)
	}
	return ch
}

// same reports whether two overwrites are for the same role or member.
func (o overwrite) same(other overwrite) bool {
	return o.role == other.role && o.member == other.member
}

// changed returns the overwrite after an edit.
func (o overwrite) changed(e chat.OverwriteEdit) (overwrite, error) {
	allow, err := rightBits(e.Allow)
	if err != nil {
		return o, err
	}
	deny, err := rightBits(e.Deny)
	if err != nil {
		return o, err
	}
	clear, err := rightBits(e.Clear)
	if err != nil {
		return o, err
	}
	if both := allow&deny | allow&clear | deny&clear; both != 0 {
		return o, fmt.Errorf("%s cannot be allowed, denied or cleared at once", chat.Rights(rightNames(both)))
	}
	o.allow = o.allow&^(deny|clear) | allow
	o.deny = o.deny&^(allow|clear) | deny
	return o, nil
}

// putOverwrite replaces an overwrite, or removes it if the new one is empty.
func (c *Client) putOverwrite(ctx context.Context, ch channel, before, after overwrite) error {
	body := after.body()
	target := body.ID
	body.ID = ""
	q := onChannel(http.MethodPut, ch.ID, "/permissions/{overwrite}", target).Needing(chat.ManagePermissions).WithBody(body)
	if after.allow|after.deny == 0 {
		q.Method, q.Body = http.MethodDelete, nil
	}
	// The bot can only allow and deny rights that it has.
	q.Needs = append(q.Needs, rightNames(before.allow^after.allow|before.deny^after.deny)...)
	if err := c.rest.Do(ctx, q, nil); err != nil {
		return err
	}
	// An event follows, but later actions of the same reply must not wait for it.
	c.cache.put(ch.with(after))
	return nil
}

// RoleOpens returns the permissions that channels allow those who have a role.
func (c *Client) RoleOpens(g chat.GuildID, r chat.RoleID) ([]chat.Permission, error) {
	return look(c.cache, g, func(known *guild) []chat.Permission {
		var allowed int64
		for _, ch := range known.channels {
			for _, o := range ch.overwrites {
				if o.role == r {
					allowed |= o.allow
				}
			}
		}
		return rightNames(allowed)
	})
}
