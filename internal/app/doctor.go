package app

import (
	"net"

	"discoclaw/internal/actions/plans"
	"discoclaw/internal/config"
	"discoclaw/internal/doctor"
)

// NewDoctor returns the check-up of the bot with these settings. Of what is outside, it uses the settings file, the ports and the clients.
func NewDoctor(env config.Env, out Externals) (*doctor.Doctor, error) {
	core, err := newCore(env, out)
	if core == nil {
		return nil, err
	}
	return core.doctor, nil
}

// newDoctor returns the check-up. Bad are the problems that were found so far.
func newDoctor(c *Core, bad *config.Error, out Externals) *doctor.Doctor {
	cfg := c.Config
	parts := []doctor.Checker{plans.Projects{Off: !cfg.Plans.Enabled, DataDir: c.dataDir, Work: c.planWork}}
	for _, cat := range c.registry.Categories() {
		if part, ok := cat.(doctor.Checker); ok {
			parts = append(parts, part)
		}
	}
	clients := c.mcpSettings()
	parts = append(parts, clients, c.mcpServers)
	return doctor.New(doctor.Options{
		Config:       cfg,
		SettingsFile: c.settingsFile,
		Problems:     func() []string { return c.problems(bad).Problems },
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
		Runtimes: c.runtimes,
		Primary:  c.runtimes.Primary,
		Tools:    c.toolLevel(),

		DataDir:   c.dataDir,
		CopyEvery: copyEvery,
		Ports: []func() (net.Listener, error){
			func() (net.Listener, error) { return c.listen(out.openPort) },
			func() (net.Listener, error) { return clients.Listen(out.openPort) },
		},
	})
}
