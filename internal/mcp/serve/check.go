package serve

import (
	"context"
	"fmt"

	"discoclaw/internal/doctor"
)

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
