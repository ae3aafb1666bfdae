package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/fakediscord"
)

// goLogin begins a session, and looks at what comes with it.
var goLogin = []goStep{
	{"the gateway's address", func(g *gopher) error {
		url, err := g.s.Gateway()
		return errors.Join(err, is("a websocket", strings.HasPrefix(url, "ws://"), true))
	}},
	{"the gateway's limits", func(g *gopher) error {
		bot, err := g.s.GatewayBot()
		if err != nil {
			return err
		}
		return errors.Join(is("shards", bot.Shards, 1), is("sessions", bot.SessionStartLimit.Remaining, 1000))
	}},
	{"a token that is wrong", func(g *gopher) error {
		return refused(func() error { _, err := g.connect("Bot wrong").User("@me"); return err }(), 401, 0)
	}},
	{"a login with a wrong token", func(g *gopher) error { return closesWith(g.connect("Bot wrong"), "4004") }},
	{"a login with intents that there are not", func(g *gopher) error {
		s := g.connect("Bot " + g.Token())
		s.Identify.Intents = 1 << 30
		return closesWith(s, "4013")
	}},
	{"a login", func(g *gopher) error {
		var ready discordgo.Ready
		guilds := 0 // those that have come: its cache is read when it has them all
		all := func() bool { guilds++; return guilds == 2 }
		open := func() error { return g.apart(g.s.Open) }
		if err := g.hearsOf("GUILD_CREATE", nil, all, func() error { return g.hears("READY", &ready, open) }); err != nil {
			return err
		}
		g.session = ready.SessionID
		return errors.Join(is("the version", ready.Version, 9), is("servers", len(ready.Guilds), 2), is("the user", ready.User.Username, "DiscoClaw"))
	}},
	{"how many sessions are left", func(g *gopher) error {
		bot, err := g.s.GatewayBot()
		return errors.Join(err, is("sessions", bot != nil && bot.SessionStartLimit.Remaining == 999, true))
	}},
	{"a session that is started too soon", func(g *gopher) error {
		answer, _, err := g.plainly(nil)
		return errors.Join(err, is("the answer", answer, "op 9 false"))
	}},
	{"voice by numbers, as discord.py writes IDs", func(g *gopher) error {
		answer, inside, err := g.plainly(fmt.Appendf(nil, `{"op":4,"d":{"guild_id":%s,"channel_id":%s,"self_mute":false,"self_deaf":false}}`, g.guild, g.id("talk")))
		return errors.Join(err, is("the answer", answer, "op 0 READY"), is("the channel", inside, g.id("talk")))
	}},
	{"the servers in its cache", func(g *gopher) error {
		guild, err := g.s.State.Guild(g.guild)
		if err != nil {
			return err
		}
		return errors.Join(is("unavailable", guild.Unavailable, false), is("the name", guild.Name, "disco"), is("members", guild.MemberCount, 5), is("roles", len(guild.Roles), 4))
	}},
	{"the channels in its cache", func(g *gopher) error {
		c, err := g.s.State.Channel(g.id("#general"))
		if err != nil {
			return err
		}
		return errors.Join(is("its name", c.Name, "general"), is("its server", c.GuildID, g.guild))
	}},
	{"who it is", func(g *gopher) error { return is("its ID", g.s.State.User.ID, g.user("bot")) }},
	{"a heartbeat", func(g *gopher) error {
		return within(func() error { return is("a heartbeat", g.World.Gateway().Counts().Heartbeats > 0, true) })
	}},
	{"a game", func(g *gopher) error { return g.shows(g.s.UpdateGameStatus(0, "chess"), "online", "chess") }},
	{"a presence", func(g *gopher) error {
		return g.shows(g.s.UpdateStatusComplex(discordgo.UpdateStatusData{Status: "dnd", Activities: []*discordgo.Activity{{Name: "work", Type: discordgo.ActivityTypeWatching}}}), "dnd", "work")
	}},
	{"all members over the gateway", func(g *gopher) error {
		return g.chunks(5, "n1", func() error { return g.s.RequestGuildMembers(g.guild, "", 0, "n1", false) })
	}},
	{"members by name over the gateway", func(g *gopher) error {
		return g.chunks(1, "n2", func() error { return g.s.RequestGuildMembers(g.guild, "bo", 5, "n2", false) })
	}},
	{"members by ID over the gateway", func(g *gopher) error {
		return g.chunks(2, "n3", func() error {
			return g.s.RequestGuildMembersList(g.guild, []string{g.user("ada"), g.user("bob"), "123456789012345678"}, 0, "n3", false)
		})
	}},
	{"a session for each shard", func(g *gopher) error {
		guilds := 0
		for n := range 2 {
			s := g.connect("Bot " + g.Token())
			s.ShardID, s.ShardCount, s.ShouldReconnectOnError = n, 2, false
			if err := g.apart(s.Open); err != nil {
				return err
			}
			s.State.RLock()
			guilds += len(s.State.Guilds)
			s.State.RUnlock()
			if err := s.Close(); err != nil {
				return err
			}
		}
		return is("servers of both", guilds, 2)
	}},
	{"a session without compression", func(g *gopher) error {
		s := g.connect("Bot " + g.Token())
		s.Compress, s.Identify.Compress, s.ShouldReconnectOnError = false, false, false
		return errors.Join(g.apart(s.Open), s.Close())
	}},
}

// plainly starts a session without discordgo: at once, or, if there is something to say in it, as soon as Discord starts another.
// It returns the answer to IDENTIFY, and the voice channel that the bot is in after what was said.
func (g *gopher) plainly(say []byte) (answer, inside string, err error) {
	ws, resp, err := g.s.Dialer.Dial("ws://fake.discord/gateway?v=10&encoding=json", nil)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	defer ws.Close()
	var hello, first struct {
		Op   int             `json:"op"`
		Name string          `json:"t"`
		Data json.RawMessage `json:"d"`
	}
	start := func() error {
		identify := map[string]any{"op": 2, "d": map[string]any{"token": g.Token(), "intents": 1}}
		return errors.Join(ws.ReadJSON(&hello), ws.WriteJSON(identify), ws.ReadJSON(&first))
	}
	if say == nil {
		err = start()
		return fmt.Sprintf("op %d %s", first.Op, first.Data), "", err
	}
	if err := errors.Join(g.apart(start), ws.WriteMessage(1, say)); err != nil {
		return "", "", err
	}
	_ = within(func() error { // where the bot is says whether it failed
		v, there := g.VoiceState("disco/bot")
		inside = string(v.Channel)
		return is("in voice", there, true)
	})
	// A close frame with 1000 ends the session, and takes the bot out of voice.
	return fmt.Sprintf("op %d %s", first.Op, first.Name), inside, ws.WriteMessage(8, []byte{1000 >> 8, 1000 & 0xff})
}

// closesWith reports a session that is opened, or refused with another code.
func closesWith(s *discordgo.Session, code string) error {
	err := s.Open()
	if err == nil {
		_ = s.Close() // it should not have been open
		return errors.New("it was not refused")
	}
	return is("the close code is "+code, strings.Contains(err.Error(), code), true)
}

// within asks until there is no error, for a while: what a client does over the gateway has no answer to wait for.
func within(ask func() error) (err error) {
	for range 500 {
		if err = ask(); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// shows waits until people see a presence.
func (g *gopher) shows(err error, status, activity string) error {
	if err != nil {
		return err
	}
	return within(func() error {
		p := g.BotPresence()
		if len(p.Activities) == 0 {
			p.Activities = []fakediscord.Activity{{}}
		}
		return errors.Join(is("the status", p.Status, status), is("the activity", p.Activities[0].Name, activity))
	})
}

// chunks waits for the answer to a request for members.
func (g *gopher) chunks(members int, nonce string, ask func() error) error {
	var chunk discordgo.GuildMembersChunk
	if err := g.hearsOf("GUILD_MEMBERS_CHUNK", &chunk, func() bool { return chunk.Nonce == nonce }, ask); err != nil {
		return err
	}
	return errors.Join(is("members", len(chunk.Members), members), is("chunks", chunk.ChunkCount, 1))
}
