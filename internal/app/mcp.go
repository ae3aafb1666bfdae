package app

import (
	"context"
	"io"

	"discoclaw/internal/config"
	"discoclaw/internal/inspect"
	"discoclaw/internal/mcp/bridge"
	"discoclaw/internal/mcp/serve"
)

func (c *Core) mcpSettings() serve.Settings {
	return serve.Settings{MCP: c.Config.MCP, Access: c.policy(), Dir: c.dataDir}
}

// BridgeMCP lets an MCP client that has started this process use the bot that runs with the same settings, until the client leaves.
func (c *Core) BridgeMCP(ctx context.Context, in io.Reader, out io.Writer) error {
	if !c.Config.MCP.Enabled {
		return config.Mistakef("MCP clients are not answered: set DISCOCLAW_MCP_ENABLED=1, and restart the bot")
	}
	return bridge.Run(ctx, bridge.Options{Settings: c.mcpSettings(), Version: inspect.VersionText(), In: in, Out: out})
}
