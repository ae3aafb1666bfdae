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
	Type  discordgo.PermissionOverwriteType `json:"type"`
	Allow string                            `json:"allow"`
	Deny  string                            `json:"deny"`
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
	var list []chat.Overwrite
	for _, o := range ch.overwrites {
		list = append(list, o.public())
	}
	return list, nil
}

func (o overwrite) public() chat.Overwrite {
	return chat.Overwrite{Role: o.role, Member: o.member, Allow: rightNames(o.allow), Deny: rightNames(o.deny)}
}

// EditOverwrite changes the overwrite of a channel for a role or a member, and returns it as it
// was and as it is. A right that is not named stays as it is; an overwrite that neither allows
// nor denies anything is removed. The bot can only allow and deny its own rights. why is for
// the server's audit log.
func (c *Client) EditOverwrite(ctx context.Context, g chat.GuildID, id chat.ChannelID, e chat.OverwriteEdit, why string) (was, is chat.Overwrite, err error) {
	// Fetched, not from the cache: a concurrent change by others must not be undone.
	ch, err := c.fetchChannel(ctx, id)
	switch {
	case err != nil:
		return was, is, err
	case ch.Guild != g:
		return was, is, rest.NotFound("there is no channel %s on this server", id)
	case ch.Kind == chat.Thread:
		return was, is, errors.New("a thread has the permissions of its channel; change them there")
	}
	before := overwrite{role: e.Role, member: e.Member}
	if i := slices.IndexFunc(ch.overwrites, before.same); i >= 0 {
		before = ch.overwrites[i]
	}
	after, err := before.changed(e)
	if err != nil || after == before {
		return before.public(), after.public(), err
	}
	if err := c.putOverwrite(ctx, ch, before, after, why); err != nil {
		return was, is, err
	}
	// An event follows, but later actions of the same reply must not wait for it.
	ch.overwrites = slices.DeleteFunc(slices.Clone(ch.overwrites), before.same)
	if after.allow|after.deny != 0 {
		ch.overwrites = append(ch.overwrites, after)
	}
	c.cache.put(ch)
	return before.public(), after.public(), nil
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
		return o, fmt.Errorf("%s cannot be allowed, denied or cleared at once", quoted(rightNames(both)))
	}
	o.allow = o.allow&^(deny|clear) | allow
	o.deny = o.deny&^(allow|clear) | deny
	return o, nil
}

// putOverwrite replaces an overwrite, or removes it if the new one is empty.
func (c *Client) putOverwrite(ctx context.Context, ch channel, before, after overwrite, why string) error {
	target, kind := string(after.role), discordgo.PermissionOverwriteTypeRole
	if after.member != "" {
		target, kind = string(after.member), discordgo.PermissionOverwriteTypeMember
	}
	q := rest.Request{
		Method:  http.MethodPut,
		Route:   "/channels/{channel}/permissions/{overwrite}",
		Address: discordgo.EndpointChannelPermission(string(ch.ID), target),
		Body:    overwriteBody{Type: kind, Allow: strconv.FormatInt(after.allow, 10), Deny: strconv.FormatInt(after.deny, 10)},
		Channel: ch.ID,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ManagePermissions},
		Reason:  why,
	}
	if after.allow|after.deny == 0 {
		q.Method, q.Body = http.MethodDelete, nil
	}
	// The bot can only allow and deny rights that it has.
	q.Needs = append(q.Needs, rightNames(before.allow^after.allow|before.deny^after.deny)...)
	return c.rest.Do(ctx, q, nil)
}
