package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/journal"
)

// Discord is what a [Session] has to know of it.
type Discord interface {
	Servers() []chat.GuildID
	ChannelByID(context.Context, chat.ChannelID) (chat.Channel, error)
}

// SessionOptions are what a [Session] acts with.
type SessionOptions struct {
	Settings
	Version    string
	Registry   *actions.Registry
	Flags      actions.CategoryFlags
	Dispatcher *actions.Dispatcher
	Journal    *journal.Journal
	Discord    Discord
	NewTurn    func() chat.TurnID
	Report     func(ctx context.Context, what string) // tells operators that clients are not answered any more
	Now        func() time.Time
	Log        *slog.Logger
}

// A Session offers the actions to MCP clients, and knows what they have read and changed lately. Programs on this machine that have the
// token are one to us, and what one of them has read may steer another.
type Session struct {
	SessionOptions

	mu      sync.Mutex
	outside chat.Sources
	latest  time.Time   // when a call ended
	changes []time.Time // the latest ones
}

const (
	sessionGap = time.Hour        // without a call, after which what was read is taken for forgotten
	changeSpan = 10 * time.Minute // the time in which changes count as one lot
)

// NewSession returns a session in which nothing was read yet.
func NewSession(o SessionOptions) *Session { return &Session{SessionOptions: o} }

// Serve answers MCP clients until ctx ends.
func (s *Session) Serve(ctx context.Context, l net.Listener) {
	token, err := s.token()
	if err == nil {
		s.Log.InfoContext(ctx, "MCP clients are answered", "address", s.Address(), "user", s.ActsFor())
		err = New(Options{Version: s.Version, Token: token, Tools: s.tools, Call: s.call, Log: s.Log}).Serve(ctx, l)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "cannot answer MCP clients any more", "err", err)
		s.Report(ctx, "⚠️ I cannot answer MCP clients any more: "+err.Error()+". A restart may help.")
	}
}

// tools returns the actions that MCP clients may ask for. Whether the user has the rights for one is found out when it is asked for.
func (s *Session) tools() []Tool {
	var list []Tool
	for _, a := range s.gate(s.origin("")).Allowed() {
		list = append(list, Tool{Name: a.Name, Description: a.Description(), Schema: a.JSONSchema(), Reads: a.Effect == actions.Queries})
	}
	return list
}

func (s *Session) origin(g chat.GuildID) actions.Origin {
	return actions.Origin{Flow: actions.FlowMCP, Requester: s.ActsFor(), Place: chat.Place{Guild: g, Channel: chat.ChannelID(s.Channel)}}
}

func (s *Session) gate(o actions.Origin) actions.Gate {
	return s.Registry.Gate(s.Flags, access.Narrowings([]*access.Way{access.ByMCP}, o)...)
}

// server returns the server on which MCP clients act.
func (s *Session) server() (chat.GuildID, error) {
	if set := s.Access.Guild; set != "" {
		return set, nil
	}
	switch all := s.Discord.Servers(); len(all) {
	case 1:
		return all[0], nil
	case 0:
		return "", errors.New("the bot is on no server, or not online yet; try again in a moment")
	}
	return "", errors.New("the bot is on several servers; set DISCORD_GUILD_ID to the one that is meant")
}

// call runs an action that an MCP client asks for, as if the user had asked, and returns what to tell the client.
func (s *Session) call(ctx context.Context, name string, input json.RawMessage) (text string, failed bool) {
	on, err := s.server()
	if err != nil {
		return "Failed: " + err.Error(), true
	}
	o := s.origin(on)
	if why := s.Access.Admit(access.ByMCP, chat.User{ID: o.Requester}, o.Place); why != access.Admitted {
		return fmt.Sprintf("Failed: the bot does not act for this user here (%s); see DISCORD_ALLOW_USER_IDS, DISCORD_CHANNEL_IDS and DISCOCLAW_MCP_CHANNEL", why), true
	}
	req, err := actions.Called(name, input)
	if err != nil {
		return "Failed: " + err.Error(), true
	}
	out, err := s.run(func(outside chat.Sources, before int) (actions.Outcome, error) {
		o.Turn, o.Outside = s.NewTurn(), outside
		began := time.Now()
		out := s.Dispatcher.Resume(ctx, o, s.gate(o), []actions.Request{req}, nil, before)[0]
		over := journal.Turn{ID: o.Turn, Flow: o.Flow, Place: o.Place, Requester: o.Requester, Began: began, Took: time.Since(began)}
		return out, s.Journal.Record(ctx, over)
	})
	if err != nil {
		s.Log.ErrorContext(ctx, "the action of an MCP client was not written down", "action", name, "err", err)
	}
	return s.told(ctx, o, out), out.Err != nil
}

// told is an outcome as the text of a tool result.
func (s *Session) told(ctx context.Context, o actions.Origin, out actions.Outcome) string {
	switch {
	case out.Pending != nil && o.Place.Channel == "":
		return fmt.Sprintf("Failed: %s: not done, because a person has to approve it and there is no channel to ask in; set DISCOCLAW_MCP_CHANNEL to the ID of one", out.Request.Type)
	case out.Pending != nil && out.Err == nil:
		return fmt.Sprintf("Asked: %s: not done yet; a card in %s waits for a person's approval", out.Request.Type, s.channelName(ctx, o.Place.Channel))
	}
	return out.Told()
}

func (s *Session) channelName(ctx context.Context, id chat.ChannelID) string {
	ch, err := s.Discord.ChannelByID(ctx, id)
	if err != nil || ch.Name == "" {
		return "the channel " + string(id)
	}
	return "#" + ch.Name
}

// run runs an action with what clients have read and changed so far, and remembers what comes of it. Actions run one
// after another, so that each knows of the one before.
func (s *Session) run(act func(outside chat.Sources, before int) (actions.Outcome, error)) (actions.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	if now.Sub(s.latest) > sessionGap {
		s.outside = ""
	}
	s.changes = slices.DeleteFunc(s.changes, func(at time.Time) bool { return now.Sub(at) > changeSpan })
	out, err := act(s.outside, len(s.changes))
	s.outside.Add(out.Result.Outside)
	s.latest = s.Now()
	for range actions.Changes([]actions.Outcome{out}) {
		s.changes = append(s.changes, s.latest)
	}
	return out, err
}
