package serve

import (
	"context"
	"fmt"

	"discoclaw/internal/doctor"
)

// Clients are the MCP clients that the settings allow.
type Clients struct {
	On      bool
	User    string // whose permissions they have
	Address string
	Asks    bool // there is a channel to ask for approval in
}

// Check implements [doctor.Checker].
func (c Clients) Check(context.Context) []doctor.Finding {
	f := doctor.Finding{What: "mcp", State: "off; DISCOCLAW_MCP_ENABLED=1 lets MCP clients on this machine use the actions"}
	if c.On {
		f.State = fmt.Sprintf("clients on this machine can use the actions with the permissions of user %s, through discoclaw mcp or http://%s%s", c.User, c.Address, Path)
	}
	if c.On && !c.Asks {
		f.State += "; actions that need approval are refused, because DISCOCLAW_MCP_CHANNEL does not name a channel to ask in"
		f.Note = true
	}
	return []doctor.Finding{f}
}
