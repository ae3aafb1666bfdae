package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"discoclaw/internal/config"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/inspect"
	"discoclaw/internal/mcp/bridge"
)

// BridgeMCP lets an MCP client that has started this process use the bot that runs with the same settings, until the client leaves.
func (c *Core) BridgeMCP(ctx context.Context, in io.Reader, out io.Writer) error {
	if !c.Config.MCP.Enabled {
		return config.Mistakef("MCP clients are not answered: set DISCOCLAW_MCP_ENABLED=1, and restart the bot")
	}
	if datadir.InUse(c.dataDir) == nil {
		return fmt.Errorf("no bot is running with the data directory %s; start it with discoclaw run", c.dataDir)
	}
	token, err := readToken(filepath.Join(c.dataDir, mcpTokenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the running bot does not answer MCP clients: restart it, with DISCOCLAW_MCP_ENABLED=1 in its settings")
	}
	if err != nil {
		return err
	}
	err = bridge.Run(ctx, bridge.Options{Version: inspect.VersionText(), Address: c.mcpAddress(), Token: token, In: in, Out: out})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the bot at %s does not answer: check that it runs with the same DISCOCLAW_MCP_PORT, and restart it: %w", c.mcpAddress(), err)
	}
	return nil
}
