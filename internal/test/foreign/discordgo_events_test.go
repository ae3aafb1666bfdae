package foreign

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
)

// happens is a step in which something happens that the client is told of.
func happens(name, event string, do func(*gopher) error) goStep {
	return goStep{name, func(g *gopher) error { return g.hears(event, nil, func() error { return do(g) }) }}
}

// goEvents has people do things.
var goEvents = []goStep{
	{"a member's message", func(g *gopher) error {
		text := "hi " + mentionOf(g.user("bot"))
		told, err := g.hearsText(text, func() error { _, err := g.Say("eve", "#general", text); return err })
		if err != nil {
			return err
		}
		g.message = &told
		return errors.Join(is("the author", told.Author.Username, "eve"), is("their roles", len(told.Member.Roles), 1), is("mentions", len(told.Mentions), 1))
	}},
	happens("a member's edit", "MESSAGE_UPDATE", func(g *gopher) error { return g.EditAs("eve", messageID(g.message), "hello") }),
	happens("a member's reaction", "MESSAGE_REACTION_ADD", func(g *gopher) error { return g.React("ada", messageID(g.message), "👍") }),
	happens("a member's reaction less by themselves", "MESSAGE_REACTION_REMOVE", func(g *gopher) error { return g.Unreact("ada", messageID(g.message), "👍") }),
	happens("a member's pin", "CHANNEL_PINS_UPDATE", func(g *gopher) error { return g.PinAs("ada", messageID(g.message)) }),
	happens("a member's deletion", "MESSAGE_DELETE", func(g *gopher) error { return g.DeleteAs("eve", messageID(g.message)) }),
	happens("a new member", "GUILD_MEMBER_ADD", func(g *gopher) error { _, err := g.Join("disco/nina"); return err }),
	happens("a member who leaves", "GUILD_MEMBER_REMOVE", func(g *gopher) error { return g.RemoveMember("nina") }),
	happens("a member with a role", "GUILD_MEMBER_UPDATE", func(g *gopher) error { return g.GrantRole("eve", "artists") }),
	happens("a member's voice", "VOICE_STATE_UPDATE", func(g *gopher) error { return g.EnterVoice("eve", "talk") }),
	happens("a member's thread", "THREAD_CREATE", func(g *gopher) error { _, err := g.StartThread("ada", "#general", "chat"); return err }),
	happens("a member's post", "THREAD_CREATE", func(g *gopher) error { _, err := g.StartPost("ada", "ideas", "Sounds", "more of them"); return err }),
	happens("a new channel by others", "CHANNEL_CREATE", func(g *gopher) error { _, err := g.AddChannel("disco/extra:text"); return err }),
	happens("a channel that others delete", "CHANNEL_DELETE", func(g *gopher) error { return g.DeleteChannel("#doomed") }),
	happens("a server that is gone for a while", "GUILD_DELETE", func(g *gopher) error { return g.OutageOf("lair", true) }),
	happens("a server that is back", "GUILD_CREATE", func(g *gopher) error { return g.OutageOf("lair", false) }),
	{"a channel that becomes hidden", func(g *gopher) error {
		if err := g.demote(); err != nil {
			return err
		}
		var told discordgo.Channel
		isIt := func() bool { return told.ID == g.id("#hidden") && told.Name != "hidden" }
		err := g.hearsOf("CHANNEL_UPDATE", &told, isIt, func() error { return g.Deny("#hidden", "bot", chat.ViewChannel) })
		return errors.Join(err, is("its name", told.Name, "___hidden___"))
	}},
}

// goRefusals asks for what Discord refuses.
var goRefusals = []goStep{
	{"a channel that there is not", func(g *gopher) error {
		return refused(func() error { _, err := g.s.Channel("123456789012345678"); return err }(), 404, 10003)
	}},
	{"a channel that is hidden", func(g *gopher) error {
		return refused(func() error { _, err := g.s.ChannelMessages(g.id("#hidden"), 5, "", "", ""); return err }(), 403, 50001)
	}},
	{"a message that there is not", func(g *gopher) error {
		return refused(func() error { _, err := g.s.ChannelMessage(g.id("#general"), "123456789012345678"); return err }(), 404, 10008)
	}},
	{"a message that is too long", func(g *gopher) error {
		return refused(func() error {
			_, err := g.s.ChannelMessageSend(g.id("#general"), strings.Repeat("x", 2001))
			return err
		}(), 400, 50035)
	}},
	{"a message with nothing in it", func(g *gopher) error {
		return refused(func() error { _, err := g.s.ChannelMessageSend(g.id("#general"), ""); return err }(), 400, 50006)
	}},
	{"a message of somebody else", func(g *gopher) error {
		m, err := g.Say("ada", "#general", "mine")
		if err != nil {
			return err
		}
		_, err = g.s.ChannelMessageEdit(g.id("#general"), string(m.ID), "yours")
		return refused(err, 403, 50005)
	}},
	{"a change of the owner", func(g *gopher) error {
		return refused(g.s.GuildMemberNickname(g.guild, g.user("ada"), "x"), 403, 50013)
	}},
	{"a server that there is not", func(g *gopher) error {
		return refused(func() error { _, err := g.s.Guild("123456789012345678"); return err }(), 404, 10004)
	}},
	{"an emoji that there is not", func(g *gopher) error {
		m, err := g.said("ada", "#general", "look")
		if err != nil {
			return err
		}
		return refused(g.s.MessageReactionAdd(m.ChannelID, m.ID, "nope:123456789012345678"), 400, 10014)
	}},
	{"a limit that is waited for", func(g *gopher) error {
		g.World.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/typing", Times: 1, Kind: fakediscord.RateLimited, RetryAfter: 100 * time.Millisecond})
		began := time.Now()
		err := g.s.ChannelTyping(g.id("#general"))
		return errors.Join(err, is("it waited", time.Since(began) >= 100*time.Millisecond, true))
	}},
	{"a server that is out of order", func(g *gopher) error {
		g.World.Fail(fakediscord.Fault{Match: "GET /users/@me", Times: 1, Status: http.StatusServiceUnavailable})
		_, err := g.s.User("@me")
		return is("refused", err != nil && strings.Contains(err.Error(), "503"), true)
	}},
}

// resumes loses the connection in some way, has something happen meanwhile, and waits until both the event and RESUMED have come.
func resumes(name string, lose fakegateway.Fault) goStep {
	return goStep{name, func(g *gopher) error {
		before := g.World.Gateway().Counts()
		missed := fmt.Sprint("while it was away: ", name)
		err := g.hears("RESUMED", nil, func() error {
			_, err := g.hearsText(missed, func() error {
				g.World.Gateway().Inject(lose)
				_, err := g.Say("ada", "#general", missed)
				return err
			})
			return err
		})
		after := g.World.Gateway().Counts()
		return errors.Join(err, g.beats(before.Heartbeats), is("resumed", after.Resumes, before.Resumes+1), is("identified", after.Identifies, before.Identifies))
	}}
}

// beats waits for the first heartbeat of a new connection. If discordgo loses a connection in the middle of one, it reconnects twice
// and waits for itself for ever.
func (g *gopher) beats(before int) error {
	return within(func() error { return is("a heartbeat", g.World.Gateway().Counts().Heartbeats > before, true) })
}

// goResume loses connections. RESUMED comes last, so that a step waits for it behind what was missed.
var goResume = []goStep{
	resumes("a connection that is lost", fakegateway.Drop()),
	resumes("a connection that Discord closes", fakegateway.CloseCode(4000)),
	resumes("a request to reconnect", fakegateway.Reconnect()),
	{"a session that is over", func(g *gopher) error {
		before := g.World.Gateway().Counts().Heartbeats
		var ready discordgo.Ready
		err := g.hears("READY", &ready, func() error {
			return g.apart(func() error {
				g.World.Gateway().Inject(fakegateway.InvalidSession(false))
				return nil
			})
		})
		return errors.Join(err, g.beats(before), is("another session", ready.SessionID != g.session, true))
	}},
	{"events of the new session", func(g *gopher) error {
		_, err := g.hearsText("welcome back", func() error { _, err := g.Say("ada", "#general", "welcome back"); return err })
		return err
	}},
	{"a goodbye", func(g *gopher) error {
		if err := g.s.CloseWithCode(1000); err != nil {
			return err
		}
		return within(func() error { return is("sessions", g.World.Gateway().Sessions(), 0) })
	}},
}
