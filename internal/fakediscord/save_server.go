package fakediscord

import (
	"fmt"
	"strconv"
	"time"

	"discoclaw/internal/chat"
)

// What a world file says about the guild besides people and places.

type savedEvent struct {
	ID          chat.EventID   `json:"id"`
	Guild       chat.GuildID   `json:"guild,omitempty"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Start       time.Time      `json:"start"`
	End         time.Time      `json:"end,omitzero"`
	Channel     chat.ChannelID `json:"channel,omitempty"`
	Location    string         `json:"location,omitempty"`
	Creator     chat.UserID    `json:"creator"`
}

type savedInvite struct {
	Code      string         `json:"code"`
	Channel   chat.ChannelID `json:"channel"`
	Inviter   chat.UserID    `json:"inviter"`
	Created   time.Time      `json:"created"`
	MaxAge    int            `json:"maxAge,omitempty"`
	MaxUses   int            `json:"maxUses,omitempty"`
	Uses      int            `json:"uses,omitempty"`
	Temporary bool           `json:"temporary,omitempty"`
}

type savedAuditEntry struct {
	ID      string             `json:"id"`
	Guild   chat.GuildID       `json:"guild,omitempty"`
	Action  int                `json:"action"`
	By      chat.UserID        `json:"by"`
	Target  string             `json:"target,omitempty"`
	Reason  string             `json:"reason,omitempty"`
	Changes []savedAuditChange `json:"changes,omitempty"`
	Options map[string]string  `json:"options,omitempty"`
}

type savedAuditChange struct {
	Key string `json:"key"`
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
}

type savedEmoji struct {
	ID          string       `json:"id"`
	Guild       chat.GuildID `json:"guild,omitempty"`
	Name        string       `json:"name"`
	Animated    bool         `json:"animated,omitempty"`
	Unavailable bool         `json:"unavailable,omitempty"`
}

type savedWebhook struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Channel chat.ChannelID `json:"channel"`
	Creator chat.UserID    `json:"creator"`
	Token   string         `json:"token"`
}

type savedPoll struct {
	Question string    `json:"question"`
	Answers  []string  `json:"answers"`
	Multiple bool      `json:"multiple,omitempty"`
	Ends     time.Time `json:"ends"`
}

// saveServer adds to a file what the guilds have besides people and places.
func (w *World) saveServer(s *savedWorld) {
	for _, g := range w.guilds {
		w.saveGuild(s, g)
	}
	for _, i := range w.openInvites() {
		kept := savedInvite(*i)
		kept.Created = i.Created.UTC()
		s.Invites = append(s.Invites, kept)
	}
	for _, h := range w.webhooks {
		kept := savedWebhook(*h)
		kept.Name = plain(h.Name)
		s.Webhooks = append(s.Webhooks, kept)
	}
}

func (w *World) saveGuild(s *savedWorld, g *guild) {
	for _, e := range g.scheduled {
		kept := savedEvent(*e)
		kept.Guild = w.savedOn(e.Guild)
		kept.Name, kept.Description, kept.Location = plain(e.Name), plain(e.Description), plain(e.Location)
		kept.Start, kept.End = e.Start.UTC(), e.End.UTC()
		s.Events = append(s.Events, kept)
	}
	for _, e := range g.auditLog {
		kept := savedAuditEntry{ID: e.ID, Guild: w.savedOn(g.id), Action: e.Action, By: e.By, Target: plain(e.Target), Reason: plain(e.Reason)}
		for _, c := range e.Changes {
			kept.Changes = append(kept.Changes, savedAuditChange{plain(c.Key), plain(c.Old), plain(c.New)})
		}
		for key, value := range e.Options {
			if kept.Options == nil {
				kept.Options = map[string]string{}
			}
			kept.Options[plain(key)] = plain(value)
		}
		s.AuditLog = append(s.AuditLog, kept)
	}
	for _, e := range g.emojis {
		s.Emojis = append(s.Emojis, savedEmoji{ID: e.ID, Guild: w.savedOn(g.id), Name: e.Name, Animated: e.Animated, Unavailable: e.Unavailable})
	}
}

// savedOn is how a file says which guild something belongs to: not at all for the first.
func (w *World) savedOn(id chat.GuildID) chat.GuildID {
	if id == w.first().id {
		return ""
	}
	return id
}

func savedPollOf(p *Poll) *savedPoll {
	kept := &savedPoll{Question: plain(p.Question), Multiple: p.Multiple, Ends: p.Ends.UTC()}
	for _, a := range p.Answers {
		kept.Answers = append(kept.Answers, plain(a))
	}
	return kept
}

func (s *savedPoll) poll() *Poll {
	p := Poll(*s)
	return &p
}

// server makes what the guild has besides people and places, and checks whom and
// which channels it names. The log may tell of what is gone.
func (r *restorer) server(s savedWorld) error {
	for _, from := range s.Events {
		e := ScheduledEvent(from)
		if err := r.thing("event", string(e.ID), e.Channel, e.Creator); err != nil {
			return err
		}
		g, err := r.on("event "+string(e.ID), from.Guild)
		if err != nil {
			return err
		}
		e.Guild = g.id
		g.scheduled = append(g.scheduled, &e)
	}
	for _, from := range s.Invites {
		i := Invite(from)
		if i.Channel == "" {
			return fmt.Errorf("the invite %s leads nowhere", chat.Clip(i.Code, 40))
		}
		if err := r.placed("invite", i.Channel, i.Inviter); err != nil {
			return err
		}
		r.w.invites = append(r.w.invites, &i)
	}
	for _, from := range s.AuditLog {
		if err := r.thing("audit log entry", from.ID, "", from.By); err != nil {
			return err
		}
		e := &AuditEntry{ID: from.ID, Action: from.Action, By: from.By, Target: from.Target, Reason: from.Reason, Options: from.Options}
		for _, c := range from.Changes {
			e.Changes = append(e.Changes, AuditChange(c))
		}
		g, err := r.on("audit log entry "+e.ID, from.Guild)
		if err != nil {
			return err
		}
		g.auditLog = append(g.auditLog, e)
		r.w.auditIDs.last = max(r.w.auditIDs.last, idNumber(e.ID))
	}
	for _, from := range s.Emojis {
		e := GuildEmoji{ID: from.ID, Name: from.Name, Animated: from.Animated, Unavailable: from.Unavailable}
		if err := r.add("emoji", e.ID); err != nil {
			return err
		}
		g, err := r.on("emoji "+e.ID, from.Guild)
		if err != nil {
			return err
		}
		g.emojis = append(g.emojis, &e)
	}
	for _, from := range s.Webhooks {
		h := Webhook(from)
		if h.Channel == "" {
			return fmt.Errorf("webhook %s: it has no channel", chat.Clip(h.ID, 40))
		}
		if err := r.thing("webhook", h.ID, h.Channel, h.Creator); err != nil {
			return err
		}
		r.w.webhooks = append(r.w.webhooks, &h)
	}
	return nil
}

// idNumber is an ID that was checked before.
func idNumber(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// thing takes note of something with an ID that somebody made, in a channel unless
// that is empty.
func (r *restorer) thing(kind, id string, ch chat.ChannelID, by chat.UserID) error {
	if err := r.add(kind, id); err != nil {
		return err
	}
	return r.placed(kind+" "+id, ch, by)
}

// placed refuses channels and people who are not there.
func (r *restorer) placed(what string, ch chat.ChannelID, by chat.UserID) error {
	if ch != "" && r.w.channels[ch] == nil {
		return fmt.Errorf("%s: there is no channel %q", what, chat.Clip(string(ch), 40))
	}
	return r.known(what, by)
}
