package discord

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// memberTime is how long a member's roles are taken as known. It spans the actions
// of one reply, and is short enough for a role that is taken away to count.
const memberTime = 10 * time.Second

// members remembers for a moment which roles people have. Discord tells bots about
// changes only if they are allowed to see all members, which this one need not be.
type members struct {
	mu    sync.Mutex
	known map[memberKey]remembered
}

type memberKey struct {
	guild chat.GuildID
	user  chat.UserID
}

type remembered struct {
	chat.Member
	until time.Time
	late  bool // it was so when they did something that was told late
}

func newMembers() *members { return &members{known: map[memberKey]remembered{}} }

func (m *members) get(k memberKey) (chat.Member, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.known[k]
	return r.Member, ok && !r.late && time.Now().Before(r.until)
}

// guess is get for what need not be of now.
func (m *members) guess(k memberKey) (chat.Member, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.known[k]
	return r.Member, ok && time.Now().Before(r.until)
}

func (m *members) put(k memberKey, v chat.Member, late bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for k, r := range m.known {
		if now.After(r.until) {
			delete(m.known, k)
		}
	}
	if old, known := m.known[k]; late && known && !old.late {
		return
	}
	m.known[k] = remembered{v, now.Add(memberTime), late}
}

// forget is for somebody about whom the bot has just changed something.
func (m *members) forget(k memberKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, k)
}

// Missing is which of the needed permissions a member lacks in a channel, or on
// the whole server if ch is empty. An empty answer means that they hold them all.
// When that cannot be found out, for instance because they are not a member, there
// is an error, and nothing should be done on their behalf.
func (c *Client) Missing(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID, needs []chat.Permission) ([]chat.Permission, error) {
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
	have, known := c.cache.rights(g, u, m, in)
	if !known {
		return nil, unknownServer(g)
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

// Lacks says whether somebody is known to lack a permission in a place. It asks Discord
// for nothing, so it is for what does no harm if the answer is wrong.
func (c *Client) Lacks(at chat.Place, u chat.UserID, p chat.Permission) bool {
	in, found := c.cache.channel(at.Channel)
	m, met := c.members.guess(memberKey{at.Guild, u})
	if !found || !met {
		return false
	}
	have, known := c.cache.rights(at.Guild, u, m, &in)
	return known && len(lacking(have, in.Kind, []chat.Permission{p})) > 0
}

// rights is what a member may do, if the server is known.
func (c *cache) rights(id chat.GuildID, who chat.UserID, m chat.Member, in *channel) (have int64, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil {
		return 0, false
	}
	return g.rights(id, who, m, in, c.clock.now()), true
}

// member fetches what is known about somebody on a server, unless that was done just
// now.
func (c *Client) member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error) {
	key := memberKey{g, u}
	if m, ok := c.members.get(key); ok {
		return m, nil
	}
	var wire discordgo.Member
	err := c.call(ctx, request{
		method:  http.MethodGet,
		route:   "/guilds/{guild}/members/{user}",
		address: discordgo.EndpointGuildMember(string(g), string(u)),
		guild:   g,
		needs:   onTheServer,
	}, &wire)
	if errors.Is(err, ErrNotFound) {
		return chat.Member{}, notFound("user %s is not a member of this server", u)
	}
	if err != nil {
		return chat.Member{}, err
	}
	m := memberFrom(wire)
	c.members.put(key, m, false)
	return m, nil
}

// inThread says whether somebody is in a private thread.
func (c *Client) inThread(ctx context.Context, thread chat.ChannelID, u chat.UserID) (bool, error) {
	err := c.call(ctx, request{
		method:  http.MethodGet,
		route:   "/channels/{channel}/thread-members/{user}",
		address: discordgo.EndpointThreadMember(string(thread), string(u)),
		channel: thread,
		needs:   []chat.Permission{chat.ViewChannel},
	}, nil)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
