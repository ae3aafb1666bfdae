package foreign

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
)

// actions are what a program can have done in the world, by name.
var actions = map[string]func(s *script, args []string) (any, error){
	"user": func(s *script, a []string) (any, error) {
		m, ok := s.Member(a[0])
		return m.ID, missing(ok, a[0])
	},
	"presence": func(s *script, _ []string) (any, error) {
		p := s.BotPresence()
		for _, each := range p.Activities {
			p.Status += " " + each.Name
		}
		return p.Status, nil
	},
	"say": func(s *script, a []string) (any, error) {
		m, err := s.Say(a[0], a[1], a[2])
		return m.ID, err
	},
	"edit":   func(s *script, a []string) (any, error) { return nil, s.EditAs(a[0], chat.MessageID(a[1]), a[2]) },
	"delete": func(s *script, a []string) (any, error) { return nil, s.DeleteAs(a[0], chat.MessageID(a[1])) },
	"react": func(s *script, a []string) (any, error) {
		return nil, s.React(a[0], chat.MessageID(a[1]), chat.Emoji(a[2]))
	},
	"unreact": func(s *script, a []string) (any, error) {
		return nil, s.Unreact(a[0], chat.MessageID(a[1]), chat.Emoji(a[2]))
	},
	"pin": func(s *script, a []string) (any, error) { return nil, s.PinAs(a[0], chat.MessageID(a[1])) },
	"vote": func(s *script, a []string) (any, error) {
		n, err := strconv.Atoi(a[2])
		return nil, errors.Join(err, s.Vote(a[0], chat.MessageID(a[1]), n))
	},
	"webhook": func(s *script, a []string) (any, error) {
		h, err := s.AddWebhook(a[0], a[1], a[2])
		return h.ID, err
	},
	"emoji": func(s *script, a []string) (any, error) {
		e, err := s.AddEmoji(fakediscord.GuildEmoji{Name: a[0]})
		return e.ID, err
	},
	"thread": func(s *script, a []string) (any, error) {
		c, err := s.StartThread(a[0], a[1], a[2])
		return c.ID, err
	},
	"post": func(s *script, a []string) (any, error) {
		c, err := s.StartPost(a[0], a[1], a[2], a[3])
		return c.ID, err
	},
	"join": func(s *script, a []string) (any, error) {
		m, err := s.Join(a[0])
		return m.ID, err
	},
	"leave": func(s *script, a []string) (any, error) { return nil, s.RemoveMember(a[0]) },
	"grant": func(s *script, a []string) (any, error) { return nil, s.GrantRole(a[0], a[1]) },
	"voice": func(s *script, a []string) (any, error) { return nil, s.EnterVoice(a[0], a[1]) },
	"addChannel": func(s *script, a []string) (any, error) {
		c, err := s.AddChannel(a[0])
		return c.ID, err
	},
	"deleteChannel": func(s *script, a []string) (any, error) { return nil, s.DeleteChannel(a[0]) },
	"outage":        func(s *script, a []string) (any, error) { return nil, s.OutageOf(a[0], a[1] == "on") },
	"deny":          func(s *script, a []string) (any, error) { return nil, s.Deny(a[0], a[1], chat.Permission(a[2])) },
	"allow":         func(s *script, a []string) (any, error) { return nil, s.Allow(a[0], a[1], chat.Permission(a[2])) },
	"demote":        func(s *script, _ []string) (any, error) { return nil, s.demote() },
	"press": func(s *script, a []string) (any, error) {
		s.press(func() (fakediscord.Answer, error) { return s.Press(a[0], chat.MessageID(a[1]), a[2]) })
		return nil, nil
	},
	"run": func(s *script, a []string) (any, error) {
		s.press(func() (fakediscord.Answer, error) { return s.World.Run(a[0], a[1], a[2]) })
		return nil, nil
	},
	"submit": func(s *script, a []string) (any, error) {
		s.press(func() (fakediscord.Answer, error) { return s.Submit(a[0], a[1], a[2], map[string]string{a[3]: a[4]}) })
		return nil, nil
	},
	"talks": func(s *script, a []string) (any, error) {
		v, _ := s.VoiceState(a[0])
		return v.Channel, nil
	},
	"log": func(s *script, a []string) (any, error) {
		return nil, s.AddAuditEntry(a[0], fakediscord.AuditEntry{Action: 22, Target: a[1]})
	},
	"seen":   func(s *script, _ []string) (any, error) { return s.answer() },
	"unseen": func(s *script, _ []string) (any, error) { _, _ = s.answer(); return nil, nil }, // whatever it was
	"limit": func(s *script, a []string) (any, error) {
		s.World.Fail(fakediscord.Fault{Match: a[0], Times: 1, Kind: fakediscord.RateLimited, RetryAfter: 100 * time.Millisecond})
		return nil, nil
	},
	"break": func(s *script, a []string) (any, error) {
		s.World.Fail(fakediscord.Fault{Match: a[0], Times: 1, Status: http.StatusServiceUnavailable})
		return nil, nil
	},
	"inject":   func(s *script, a []string) (any, error) { return nil, s.inject(a[0]) },
	"counts":   func(s *script, _ []string) (any, error) { return s.World.Gateway().Counts(), nil },
	"sessions": func(s *script, _ []string) (any, error) { return s.World.Gateway().Sessions(), nil },
}

// missing is an error about something that is not there.
func missing(there bool, name string) error {
	if !there {
		return fmt.Errorf("there is no %s", name)
	}
	return nil
}

// demote takes Administrator from the bot, for which nothing is hidden.
func (c *course) demote() error {
	for _, r := range c.Roles() {
		if r.Managed {
			return c.SetPermission("disco/"+r.Name, "Administrator", false)
		}
	}
	return errors.New("the bot has no role")
}

// inject does something to all connections.
func (s *script) inject(fault string) error {
	kind, how, _ := strings.Cut(fault, " ")
	code, _ := strconv.Atoi(how)
	f, ok := map[string]fakegateway.Fault{
		"drop": fakegateway.Drop(), "close": fakegateway.CloseCode(code), "reconnect": fakegateway.Reconnect(),
		"invalid": fakegateway.InvalidSession(how == "true"), "heartbeat": fakegateway.RequestHeartbeat(),
	}[kind]
	if ok {
		s.World.Gateway().Inject(f)
	}
	return missing(ok, fault)
}
