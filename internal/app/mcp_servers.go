package app

import (
	"maps"
	"slices"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/mcp/servers"
)

// openMCPServers reads the file of MCP servers, and returns what is wrong with it. None of them is reached before it is needed.
func (c *Core) openMCPServers() (problems []string) {
	o := servers.Options{Version: versionText(), Log: c.log}
	if path := c.Config.MCP.File; path != "" {
		var err error
		if o.List, err = servers.Load(path, roles.Chat.Choices()); err != nil {
			for _, problem := range problemsOf(err) {
				problems = append(problems, "DISCOCLAW_MCP_FILE: "+problem)
			}
		}
	}
	c.mcpServers = servers.New(o)
	return problems
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
