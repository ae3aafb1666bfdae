package app

import (
	"discoclaw/internal/inspect"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/mcp/servers"
)

// openMCPServers reads the file of MCP servers, and returns what is wrong with it. None of them is reached before it is needed.
func (c *Core) openMCPServers() (problems []string) {
	o := servers.Options{Version: inspect.VersionText(), File: c.Config.MCP.File, NoTools: !c.toolLevel().Allows(llm.ToolsRead), Log: c.log}
	if o.File != "" {
		var err error
		if o.List, err = servers.Load(o.File, roles.Chat.Choices()); err != nil {
			for _, problem := range problemsOf(err) {
				problems = append(problems, "DISCOCLAW_MCP_FILE: "+problem)
			}
		}
	}
	c.mcpServers = servers.New(o)
	return problems
}
