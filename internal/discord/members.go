package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// MissingPermissions returns the needed permissions that a member lacks in a channel, or on the
// whole server if ch is empty. If they cannot be looked up, for instance because the user is
// not a member, it returns an error, and nothing should be done on their behalf.
func (c *Client) MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
	needs []chat.Permission) ([]chat.Permission, error) {
	if err := c.untilNow(ctx, g); err != nil {
		return nil, err
	}
	var in *channel
	if ch != "" {
		found, err := c.channelOf(ctx, g, ch)
		if err != nil {
			return nil, err
		}
		in = &found
	}
	m, err := c.member(ctx, g, u)
	if err != nil {
		return nil, err
	}
	have, err := c.cache.rights(g, u, m, in)
	if err != nil {
		return nil, err
	}
	if in == nil {
		return lacking(have, "", needs), nil
	}
	if in.Private && have&discordgo.PermissionManageThreads == 0 {
		inside, err := c.inThread(ctx, ch, u)
		if err != nil {
			return nil, err
		}
		if !inside {
			return slices.Clone(needs), nil
		}
	}
	return lacking(have, in.Kind, needs), nil
}

// KnownToLack reports whether a user is known to lack a permission in a place. It sends no request,
// so it is for decisions in which a wrong answer does no harm.
func (c *Client) KnownToLack(at chat.Place, u chat.UserID, p chat.Permission) bool {
	in, found := c.cache.channel(at.Channel)
	m, met := c.members.guess(memberKey{at.Guild, u})
	if !found || !met {
		return false
	}
	have, err := c.cache.rights(at.Guild, u, m, &in)
	return err == nil && len(lacking(have, in.Kind, []chat.Permission{p})) > 0
}

// rights returns a member's permissions, if the server is known.
func (c *cache) rights(id chat.GuildID, who chat.UserID, m chat.Member, in *channel) (have int64, err error) {
	return look(c, id, func(g *guild) int64 { return g.rights(id, who, m, in, c.now()) })
}

// member returns a member from the cache, or fetches them: in a round of actions once in any case.
func (c *Client) member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error) {
	key := memberKey{g, u}
	if m, ok := c.members.get(key); ok && !chat.FirstLook(ctx, g, u) {
		return m, nil
	}
	if !chat.IsID(string(u)) {
		return chat.Member{}, rest.NotFound("%q is not a user's ID (15 to 20 digits)", chat.Clip(string(u), 40))
	}
	wire, err := fetch[wireMember](ctx, c, onServer(http.MethodGet, g, "/members/{user}", string(u)).Needing(onTheServer))
	if errors.Is(err, ErrNotFound) {
		return chat.Member{}, rest.NotFound("<@%s> is not a member of this server", u)
	}
	if err != nil {
		return chat.Member{}, err
	}
	m := memberFrom(wire)
	c.members.put(key, m, false)
	return m, nil
}

// inThread reports whether a user is in a private thread.
func (c *Client) inThread(ctx context.Context, thread chat.ChannelID, u chat.UserID) (bool, error) {
	err := c.rest.Do(ctx, onChannel(http.MethodGet, thread, "/thread-members/{user}", string(u)), nil)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

const (
	// maxNicknameLength is how long a nickname may be, in UTF-16 units.
	maxNicknameLength = 32
	// maxTimeout is how long a timeout may last.
	maxTimeout = 28 * 24 * time.Hour
	// clocks is how far our clock and Discord's may be apart. A timeout that reaches the limit by
	// ours must not exceed it by Discord's.
	clocks = 5 * time.Second
	// maxMembers is how many members Discord lists at once.
	maxMembers = 1000
)

// Member returns a member of a server. It may be some seconds old, but not older than the bot's own
// last change of them.
func (c *Client) Member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error) {
	return c.member(ctx, g, u)
}

// Anybody returns a member of the server, or else a user with nothing but the ID, which need not
// exist on Discord.
func (c *Client) Anybody(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.User, error) {
	m, err := c.member(ctx, g, u)
	if errors.Is(err, ErrNotFound) {
		return chat.User{ID: u, Name: "user " + string(u)}, nil
	}
	return m.User, err
}

// Members lists members of a server in order of their IDs, from the one after the
// given ID on. It needs the Server Members Intent, which the remedy names.
func (c *Client) Members(ctx context.Context, g chat.GuildID, after chat.UserID, limit int) ([]chat.Member, error) {
	query := pageOf(min(max(limit, 1), maxMembers), "after", string(after))
	list, err := fetchAll(ctx, c, onServer(http.MethodGet, g, "/members").Needing(onTheServer).WithQuery(query), memberFrom)
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == discordgo.ErrCodeMissingAccess {
		err = chat.WithRemedy(refused.Explained("Discord does not let me see who is on the server"),
			"switch the “Server Members Intent” on at https://discord.com/developers/applications (your application → Bot → Privileged Gateway Intents)")
	}
	return list, err
}

// MembersNamed returns members whose user name or nickname begins with the given text, in no
// particular order.
func (c *Client) MembersNamed(ctx context.Context, g chat.GuildID, name string, limit int) ([]chat.Member, error) {
	query := pageOf(min(max(limit, 1), maxMembers), "query", name)
	return fetchAll(ctx, c, onServer(http.MethodGet, g, "/members/search").Needing(onTheServer).WithQuery(query), memberFrom)
}

// memberBody changes a member. Nil fields stay as they are.
type memberBody struct {
	Nick  *string `json:"nick,omitempty"` // empty removes it
	Until *string `json:"communication_disabled_until,omitempty"`
}

// liftBody ends a timeout.
type liftBody struct {
	Until *string `json:"communication_disabled_until"` // null
}

// SetNickname sets the nickname of a member, or of the bot itself. An empty one removes it.
func (c *Client) SetNickname(ctx context.Context, g chat.GuildID, u chat.UserID, nickname, why string) error {
	nickname = strings.TrimSpace(nickname)
	if n := chat.Length(nickname); n > maxNicknameLength {
		return fmt.Errorf("the nickname has %d characters, and Discord takes %d at most; shorten it", n, maxNicknameLength)
	}
	body := memberBody{Nick: &nickname}
	if u != c.Self().ID {
		return c.changeMember(ctx, g, u, body, chat.ManageNicknames, why)
	}
	q := onServer(http.MethodPatch, g, "/members/@me").Needing(chat.ChangeNickname).WithBody(body)
	q.Reason = why
	err := c.rest.Do(ctx, q, nil)
	c.members.forget(memberKey{g, u})
	return err
}

// TimeOut times a member out, for 28 days at most.
func (c *Client) TimeOut(ctx context.Context, g chat.GuildID, u chat.UserID, d time.Duration, why string) error {
	until := c.Now().Add(min(d, maxTimeout-clocks)).UTC().Format(time.RFC3339)
	err := c.changeMember(ctx, g, u, memberBody{Until: &until}, chat.ModerateMembers, why)
	refused := (*Error)(nil)
	if errors.As(err, &refused) && refused.Code == discordgo.ErrCodeMissingPermissions && c.isAdministrator(ctx, g, u) {
		return refused.Explained("Discord lets nobody time out an administrator; take the role that makes them one first")
	}
	return err
}

// LiftTimeout ends the timeout of a member, and reports whether they had one.
func (c *Client) LiftTimeout(ctx context.Context, g chat.GuildID, u chat.UserID, why string) (lifted bool, err error) {
	c.members.forget(memberKey{g, u}) // a timeout of seconds ago counts
	m, err := c.member(ctx, g, u)
	if err != nil || !m.TimedOutUntil.After(c.Now()) {
		return false, err
	}
	return true, c.changeMember(ctx, g, u, liftBody{}, chat.ModerateMembers, why)
}

// isAdministrator reports whether a role is known to make a member an administrator.
func (c *Client) isAdministrator(ctx context.Context, g chat.GuildID, u chat.UserID) bool {
	m, err := c.member(ctx, g, u)
	if err != nil {
		return false
	}
	is, err := look(c.cache, g, func(known *guild) bool { return known.owner != u && known.rights(g, u, m, nil, c.Now()) == everything })
	return is && err == nil
}

// changeMember changes a member other than the bot.
func (c *Client) changeMember(ctx context.Context, g chat.GuildID, u chat.UserID, body any, needs chat.Permission, why string) error {
	return c.callAbout(ctx, u, why, onServer(http.MethodPatch, g, "/members/{user}", string(u)).Needing(needs).WithBody(body))
}

// Kick removes a member from the server. They can join again.
func (c *Client) Kick(ctx context.Context, g chat.GuildID, u chat.UserID, why string) error {
	return c.callAbout(ctx, u, why, onServer(http.MethodDelete, g, "/members/{user}", string(u)).Needing(chat.KickMembers))
}

// callAbout sends a request that changes a member, who must stand below the bot, and drops them
// from the cache.
func (c *Client) callAbout(ctx context.Context, u chat.UserID, why string, q rest.Request) error {
	q.Reason = why
	err := c.rest.Do(ctx, q, nil)
	c.members.forget(memberKey{q.Guild, u})
	return c.tooLow(ctx, q, err, u, "")
}

type banBody struct {
	Seconds int `json:"delete_message_seconds,omitempty"`
}

// Ban bans a user from the server, whether or not they are a member, and deletes their messages of
// some time back, a week at most.
func (c *Client) Ban(ctx context.Context, g chat.GuildID, u chat.UserID, deleted time.Duration, why string) error {
	return c.callAbout(ctx, u, why, banRequest(http.MethodPut, g, u).WithBody(banBody{Seconds: int(deleted / time.Second)}))
}

// Banned fetches a banned user. For others the error is ErrNotFound.
func (c *Client) Banned(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.User, error) {
	wire, err := fetch[wireBan](ctx, c, banRequest(http.MethodGet, g, u))
	if err == nil && wire.User == nil {
		err = errors.New("who is banned is missing from Discord's answer; try again")
	}
	if err != nil {
		return chat.User{}, err
	}
	return userFrom(*wire.User, nil), nil
}

// Unban lifts a ban.
func (c *Client) Unban(ctx context.Context, g chat.GuildID, u chat.UserID, why string) error {
	q := banRequest(http.MethodDelete, g, u)
	q.Body, q.Reason = struct{}{}, why // Discord's description of it wants a body
	return c.rest.Do(ctx, q, nil)
}

func banRequest(method string, g chat.GuildID, u chat.UserID) rest.Request {
	return onServer(method, g, "/bans/{user}", string(u)).Needing(chat.BanMembers)
}
