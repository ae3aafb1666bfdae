package app

import (
	"net"

	"discoclaw/internal/actions/plans"
	"discoclaw/internal/config"
	"discoclaw/internal/doctor"
	"discoclaw/internal/llm"
	"discoclaw/internal/mcp/serve"
)

// NewDoctor returns the check-up of the bot with these settings. Of what is outside, it uses the settings file, the ports and the clients.
func NewDoctor(env config.Env, out Outside) (*doctor.Doctor, error) {
	core, err := newCore(env, out)
	if core == nil {
		return nil, err
	}
	return core.doctor, nil
}

// newDoctor returns the check-up. Bad are the problems that were found so far.
func newDoctor(c *Core, bad *config.Error, out Outside) *doctor.Doctor {
	cfg := c.Config
	parts := []doctor.Checker{plans.Projects{Off: !cfg.Plans.Enabled, DataDir: c.dataDir, Workspace: c.workFolder()}}
	for _, cat := range c.registry.Categories() {
		if part, ok := cat.(doctor.Checker); ok {
			parts = append(parts, part)
		}
	}
	clients := serve.Clients{On: cfg.MCP.Enabled, User: string(c.mcpUser()), Address: c.mcpAddress(), Asks: cfg.MCP.Channel != ""}
	parts = append(parts, clients, c.mcpServers)
	return doctor.New(doctor.Options{
		Config:       cfg,
		SettingsFile: c.settingsFile,
		Problems:     func() []string { return c.problems(bad, out).Problems },
		Warnings:     c.Warnings,
		Broken:       c.broken,
		Secrets: doctor.Files{
			Settings: out.Settings, MCP: cfg.MCP.File, DataDir: c.dataDir, Names: c.variableNames(), Servers: len(c.mcpServers.List) > 0,
		},

		Discord:       c.discord,
		AddressedOnly: c.addressedOnly(),

		Registry: c.registry,
		Flags:    c.flags,
		Parts:    parts,

		Models:   c.models,
		Resolve:  c.resolve,
		Runtimes: c.describeRuntimes,
		Primary:  c.primary,
		Given:    c.given,
		Tools:    c.toolLevel(),

		DataDir:   c.dataDir,
		CopyEvery: copyEvery,
		Ports: []func() (net.Listener, error){
			func() (net.Listener, error) { return c.listen(out) },
			func() (net.Listener, error) { return c.listenMCP(out) },
		},
	})
}

// describeRuntimes describes all kinds of runtimes for the check-up.
func (c *Core) describeRuntimes() []doctor.Runtime {
	var list []doctor.Runtime
	for _, k := range runtimeKinds {
		r := doctor.Runtime{
			Name: k.name, Vendor: k.vendor, Home: k.home, Access: k.access(c.Config), Ready: k.usable(c.Config),
			Open: func() llm.Runtime { return c.open(k, "") },
		}
		if k.program != nil {
			r.Program = k.program(c.Config)
		}
		list = append(list, r)
	}
	return list
}
