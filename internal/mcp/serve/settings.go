package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/disk/atomicfile"
	"discoclaw/internal/doctor"
)

// TokenFile is the file in the data directory with the token of MCP clients.
const TokenFile = "mcp-token"

// Settings say whether MCP clients are answered, and with whose rights.
type Settings struct {
	config.MCP
	Access access.Policy
	Dir    string // the data directory, which has the token
}

// Address is where MCP clients reach the bot: on this machine alone.
func (s Settings) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)) }

// ActsFor returns the user for whom MCP clients act; empty if the settings do not say.
func (s Settings) ActsFor() chat.UserID {
	if s.User != "" {
		return chat.UserID(s.User)
	}
	operators := s.Access.Users
	if s.Access.Operators.Set {
		operators = s.Access.Operators.IDs
	}
	if len(operators) == 1 {
		return operators[0]
	}
	return ""
}

// Problem returns what keeps MCP clients from acting, or their port from being opened. The port of webhooks is 0 if none are received.
func (s Settings) Problem(webhooks int) string {
	user := s.ActsFor()
	switch {
	case !s.Enabled:
		return ""
	case s.Port == webhooks:
		return fmt.Sprintf("DISCOCLAW_MCP_PORT and DISCOCLAW_WEBHOOK_PORT are both %d; set one of them to another port", s.Port)
	case user == "":
		return "DISCOCLAW_MCP_USER: there is not exactly one operator; set it to the user in DISCORD_ALLOW_USER_IDS whose permissions MCP clients should have"
	case !slices.Contains(s.Access.Users, user):
		return fmt.Sprintf("DISCOCLAW_MCP_USER: %s is not in DISCORD_ALLOW_USER_IDS; add them there, or set another user", user)
	}
	return ""
}

// Open makes the token of MCP clients, and opens their port. It returns nil if they are switched off.
func (s Settings) Open(listen func(address string) (net.Listener, error)) (net.Listener, error) {
	if s.Enabled {
		if _, err := s.token(); err != nil {
			return nil, err
		}
	}
	return s.Listen(listen)
}

// Listen opens the port alone.
func (s Settings) Listen(listen func(address string) (net.Listener, error)) (net.Listener, error) {
	if !s.Enabled {
		return nil, nil
	}
	l, err := listen(s.Address())
	if err != nil {
		return nil, fmt.Errorf("MCP clients cannot be answered (%w); set DISCOCLAW_MCP_PORT to a port that no other program uses, or DISCOCLAW_MCP_ENABLED=0", err)
	}
	return l, nil
}

// token returns the token of MCP clients, and makes one if there is none. It stays the same, so that clients need not be set up again.
func (s Settings) token() (string, error) {
	token, err := s.ReadToken()
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	token = rand.Text()
	return token, atomicfile.WritePath(filepath.Join(s.Dir, TokenFile), 0o600, atomicfile.Text(token+"\n"))
}

// ReadToken returns the token of MCP clients, or [fs.ErrNotExist].
func (s Settings) ReadToken() (string, error) {
	path := filepath.Join(s.Dir, TokenFile)
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

// Check implements [doctor.Checker].
func (s Settings) Check(context.Context) []doctor.Finding {
	f := doctor.Finding{What: "mcp", State: "off; DISCOCLAW_MCP_ENABLED=1 lets MCP clients on this machine use the actions"}
	if s.Enabled {
		f.State = fmt.Sprintf("clients on this machine can use the actions with the permissions of user %s, through discoclaw mcp or http://%s%s", s.ActsFor(), s.Address(), Path)
	}
	if s.Enabled && s.Channel == "" {
		f.State += "; actions that need approval are refused, because DISCOCLAW_MCP_CHANNEL does not name a channel to ask in"
		f.Note = true
	}
	return []doctor.Finding{f}
}
