package app

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/mcp/bridge"
	"discoclaw/internal/mcp/serve"
)

func (c *Core) mcpSettings() serve.Settings {
	return serve.Settings{MCP: c.Config.MCP, Access: c.policy(), Dir: c.dataDir}
}

// BridgeMCP lets an MCP client that has started this process use the bot that runs with the same settings, until the client leaves.
func (c *Core) BridgeMCP(ctx context.Context, in io.Reader, out io.Writer) error {
	if !c.Config.MCP.Enabled {
		return Mistakef("MCP clients are not answered: set DISCOCLAW_MCP_ENABLED=1, and restart the bot")
	}
	return bridge.Run(ctx, bridge.Options{Settings: c.mcpSettings(), Version: versionText(), In: in, Out: out})
}

// mcp is what the check-up says of MCP clients.
func (c *Core) mcp() Finding {
	f := Finding{What: "mcp", State: "off; DISCOCLAW_MCP_ENABLED=1 lets MCP clients on this machine use the actions"}
	s := c.mcpSettings()
	if !s.Enabled {
		return f
	}
	f.State = fmt.Sprintf("clients on this machine can use the actions with the permissions of user %s, through discoclaw mcp or http://%s%s", s.ActsFor(), s.Address(), serve.Path)
	if s.Channel == "" {
		f.State += "; actions that need approval are refused, because DISCOCLAW_MCP_CHANNEL does not name a channel to ask in"
		f.Note = true
	}
	return f
}

// mcpTools is what the check-up says of MCP servers.
func (c *Core) mcpTools() Finding {
	names := slices.Sorted(maps.Keys(c.mcpServers.List))
	switch {
	case len(names) == 0:
		return Finding{What: "mcp servers", State: "none; DISCOCLAW_MCP_FILE names a file with servers whose tools models may use"}
	case !c.toolLevel().Allows(llm.ToolsRead):
		return Finding{What: "mcp servers", State: "DISCOCLAW_MCP_FILE has no effect with DISCOCLAW_RUNTIME_TOOLS=off", Note: true}
	}
	return Finding{What: "mcp servers", State: "models reached through an API can use the tools of " + strings.Join(names, ", ")}
}
