package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/flow"
	"discoclaw/internal/inspect"
	"discoclaw/internal/journal"
	"discoclaw/internal/mcp/serve"
	"discoclaw/internal/status"
)

// mcpTokenFile is the file in the data directory with the token of MCP clients.
const mcpTokenFile = "mcp-token"

// mcpAddress is where MCP clients reach the bot: on this machine alone.
func (c *Core) mcpAddress() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Config.MCP.Port))
}

// mcpUser returns the user for whom MCP clients act; empty if the settings do not say.
func (c *Core) mcpUser() chat.UserID {
	if set := c.Config.MCP.User; set != "" {
		return chat.UserID(set)
	}
	p := c.policy()
	operators := p.Users
	if p.Operators.Set {
		operators = p.Operators.IDs
	}
	if len(operators) == 1 {
		return operators[0]
	}
	return ""
}

// mcpProblem returns what keeps MCP clients from acting, or their port from being opened.
func (c *Core) mcpProblem() string {
	user := c.mcpUser()
	switch {
	case !c.Config.MCP.Enabled:
		return ""
	case c.webhookAddress() != "" && c.Config.MCP.Port == c.Config.Webhooks.Port:
		return fmt.Sprintf("DISCOCLAW_MCP_PORT and DISCOCLAW_WEBHOOK_PORT are both %d; set one of them to another port", c.Config.MCP.Port)
	case user == "":
		return "DISCOCLAW_MCP_USER: there is not exactly one operator; set it to the user in DISCORD_ALLOW_USER_IDS whose permissions MCP clients should have"
	case !slices.Contains(c.policy().Users, user):
		return fmt.Sprintf("DISCOCLAW_MCP_USER: %s is not in DISCORD_ALLOW_USER_IDS; add them there, or set another user", user)
	}
	return ""
}

// openMCP makes the token of MCP clients, and opens their port. It returns nil if they are switched off.
func (c *Core) openMCP(out Outside) (net.Listener, error) {
	if c.Config.MCP.Enabled {
		if _, err := c.mcpToken(); err != nil {
			return nil, err
		}
	}
	return c.listenMCP(out)
}

func (c *Core) listenMCP(out Outside) (net.Listener, error) {
	if !c.Config.MCP.Enabled {
		return nil, nil
	}
	l, err := out.openPort(c.mcpAddress())
	if err != nil {
		return nil, fmt.Errorf("MCP clients cannot be answered (%w); set DISCOCLAW_MCP_PORT to a port that no other program uses, or DISCOCLAW_MCP_ENABLED=0", err)
	}
	return l, nil
}

// mcpToken returns the token of MCP clients, and makes one if there is none. It stays the same, so that clients need not be set up again.
func (c *Core) mcpToken() (string, error) {
	path := filepath.Join(c.dataDir, mcpTokenFile)
	token, err := readToken(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	token = rand.Text()
	return token, atomicfile.WritePath(path, 0o600, atomicfile.Text(token+"\n"))
}

func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 20 {
		return "", fmt.Errorf("the token in %s is too short to be one; delete the file, and the bot makes a new one when it starts", path)
	}
	return token, nil
}

// serveMCP answers MCP clients until ctx ends.
func (b *Bot) serveMCP(ctx context.Context, l net.Listener) {
	token, err := b.core.mcpToken()
	if err == nil {
		s := serve.New(serve.Options{Version: inspect.VersionText(), Token: token, Tools: b.offeredTools, Call: b.mcpCall, Log: b.core.log})
		b.core.log.InfoContext(ctx, "MCP clients are answered", "address", b.core.mcpAddress(), "user", b.core.mcpUser())
		err = s.Serve(ctx, l)
	}
	if err != nil {
		b.core.log.ErrorContext(ctx, "cannot answer MCP clients any more", "err", err)
		b.board.Report(ctx, status.Doors, "⚠️ I cannot answer MCP clients any more: "+err.Error()+". A restart may help.")
	}
}

// offeredTools returns the actions that MCP clients may ask for. Whether the user has the rights for one is found out when it is asked for.
func (b *Bot) offeredTools() []serve.Tool {
	var list []serve.Tool
	for _, a := range b.core.mcpGate(b.core.mcpOrigin("")).Allowed() {
		list = append(list, serve.Tool{
			Name: a.Name, Description: a.Description(), Schema: a.JSONSchema(), Reads: a.Effect == actions.Queries,
		})
	}
	return list
}

func (c *Core) mcpOrigin(g chat.GuildID) actions.Origin {
	return actions.Origin{Flow: actions.FlowMCP, Requester: c.mcpUser(), Place: chat.Place{Guild: g, Channel: chat.ChannelID(c.Config.MCP.Channel)}}
}

func (c *Core) mcpGate(o actions.Origin) actions.Gate {
	return c.registry.Gate(c.flags, flow.Narrowings(o)...)
}

// mcpServer returns the server on which MCP clients act.
func (c *Core) mcpServer() (chat.GuildID, error) {
	if set := c.Config.Discord.Guild; set != "" {
		return chat.GuildID(set), nil
	}
	switch all := c.discord.Servers(); len(all) {
	case 1:
		return all[0], nil
	case 0:
		return "", errors.New("the bot is on no server, or not online yet; try again in a moment")
	}
	return "", errors.New("the bot is on several servers; set DISCORD_GUILD_ID to the one that is meant")
}

// mcpCall runs an action that an MCP client asks for, as if the user had asked, and returns what to tell the client.
func (b *Bot) mcpCall(ctx context.Context, name string, input json.RawMessage) (text string, failed bool) {
	on, err := b.core.mcpServer()
	if err != nil {
		return "Failed: " + err.Error(), true
	}
	o := b.core.mcpOrigin(on)
	if why := b.core.policy().Admit(access.ByMCP, chat.User{ID: o.Requester}, o.Place); why != access.Admitted {
		return fmt.Sprintf("Failed: the bot does not act for this user here (%s); see DISCORD_ALLOW_USER_IDS, DISCORD_CHANNEL_IDS and DISCOCLAW_MCP_CHANNEL", why), true
	}
	req, err := actions.Called(name, input)
	if err != nil {
		return "Failed: " + err.Error(), true
	}
	out, err := b.visit.run(ctx, func(outside chat.Sources, before int) (actions.Outcome, error) {
		o.Turn, o.Outside = newTurn(), outside
		began := time.Now()
		out := b.dispatcher.Resume(ctx, o, b.core.mcpGate(o), []actions.Request{req}, nil, before)[0]
		over := journal.Turn{ID: o.Turn, Flow: o.Flow, Place: o.Place, Requester: o.Requester, Began: began, Took: time.Since(began)}
		return out, b.journal.Record(ctx, over)
	})
	if err != nil {
		b.core.log.ErrorContext(ctx, "the action of an MCP client was not written down", "action", name, "err", err)
	}
	return b.mcpTold(o, out), out.Err != nil
}

// mcpTold is an outcome as the text of a tool result.
func (b *Bot) mcpTold(o actions.Origin, out actions.Outcome) string {
	switch {
	case out.Pending != nil && o.Place.Channel == "":
		return fmt.Sprintf("Failed: %s: not done, because a person has to approve it and there is no channel to ask in; set DISCOCLAW_MCP_CHANNEL to the ID of one", out.Request.Type)
	case out.Pending != nil && out.Err == nil:
		return fmt.Sprintf("Asked: %s: not done yet; a card in %s waits for a person's approval", out.Request.Type, b.mcpChannelName(o.Place))
	}
	return out.Told()
}

func (b *Bot) mcpChannelName(at chat.Place) string {
	ch, err := b.core.discord.ChannelByID(context.Background(), at.Channel)
	if err != nil || ch.Name == "" {
		return "the channel " + string(at.Channel)
	}
	return "#" + ch.Name
}

// A visit is what MCP clients have read and changed lately. Programs on this machine that have the token are one to us, and what one of them
// has read may steer another.
type visit struct {
	now func() time.Time

	mu      sync.Mutex
	outside chat.Sources
	latest  time.Time   // when a call ended
	changes []time.Time // the latest ones
}

const (
	visitGap   = time.Hour        // without a call, after which what was read is taken for forgotten
	changeSpan = 10 * time.Minute // the time in which changes count as one lot
)

// run runs an action with what the visit has read and changed so far, and remembers what comes of it. Actions run one after another, so that each
// knows of the one before.
func (v *visit) run(ctx context.Context, act func(outside chat.Sources, before int) (actions.Outcome, error)) (actions.Outcome, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	if now.Sub(v.latest) > visitGap {
		v.outside = ""
	}
	v.changes = slices.DeleteFunc(v.changes, func(at time.Time) bool { return now.Sub(at) > changeSpan })
	out, err := act(v.outside, len(v.changes))
	v.outside.Add(out.Result.Outside)
	v.latest = v.now()
	for range actions.Changes([]actions.Outcome{out}) {
		v.changes = append(v.changes, v.latest)
	}
	return out, err
}
