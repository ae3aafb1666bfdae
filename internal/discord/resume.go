package discord

import (
	"context"
	"encoding/json"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
)

// isDescribed makes sure that the server of an event is in the cache before the event is handled. It is false if the
// session is over, or was dropped because the server cannot be fetched: in a new one, Discord describes all servers.
func (l *listener) isDescribed(session context.Context, e gateway.Event) bool {
	if session.Err() != nil {
		return false // the event is replayed to the next process
	}
	if e.Name == "READY" {
		l.resuming = false
		return true
	}
	if l.resuming && !l.resume(session) {
		return false
	}
	if l.undescribed.idle() || e.Name == "GUILD_CREATE" || e.Name == "GUILD_DELETE" {
		return true
	}
	g := guildOf(e)
	if l.undescribed.wait(session, g) != nil {
		return false
	}
	l.guildAvailable(g)
	return true
}

// guildOf returns the server of an event.
func guildOf(e gateway.Event) chat.GuildID {
	var w struct {
		ID    chat.GuildID `json:"id"`
		Guild chat.GuildID `json:"guild_id"`
	}
	_ = json.Unmarshal(e.Data, &w) // an error is logged when the event is handled
	if e.Name == "GUILD_UPDATE" {
		return w.ID
	}
	return w.Guild
}

// resume is called for the first event of another process's session, which shows that the RESUME was accepted. Only now
// is it known that servers will not be described. They are fetched in the background, and those that an event or a
// caller waits for first.
func (l *listener) resume(session context.Context) bool {
	l.resuming = false
	servers, err := l.identify(session)
	if err != nil {
		l.abandon(session, err)
		return false
	}
	l.servers = servers
	l.undescribed.begin(servers, func(id chat.GuildID) {
		l.fetches.Go(func() { l.describe(session, id) })
	})
	l.announce = true
	l.ready()
	queue := make(chan chat.GuildID, len(servers))
	for _, id := range servers {
		queue <- id
	}
	close(queue)
	for range describers {
		l.fetches.Go(func() {
			for id := range queue {
				if l.undescribed.wait(session, id) != nil {
					return
				}
				l.guildWait.alone(func() { l.guildAvailable(id) })
			}
		})
	}
	return true
}

// describe fetches a server.
func (l *listener) describe(session context.Context, id chat.GuildID) {
	g, err := l.fetchGuild(session, id)
	switch {
	case err == nil:
		l.undescribed.put(id, g)
	case l.undescribed.has(id): // Discord has not described it either
		l.abandon(session, err)
	}
}

// guildAvailable passes a server that was fetched to the handler, once. It must be called with the lock of guildWait.
func (l *listener) guildAvailable(g chat.GuildID) {
	if l.undescribed.tell(g) {
		l.handler.GuildAvailable(g)
	}
}

// abandon drops the session, for a new one. At the end of Run, the next process resumes it instead.
func (l *listener) abandon(session context.Context, why error) {
	if session.Err() == nil {
		l.saver.dropped.Store(true)
		l.giveUp(why)
	}
}
