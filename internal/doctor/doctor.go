// Package doctor is the check-up of the bot: what it says of the settings, of this machine and, if it may ask, of Discord and the
// models. The checks of a single feature are with that feature.
package doctor

import (
	"context"
	"net"
	"slices"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/config"
	"discoclaw/internal/discord"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// A Finding is one result of the check-up.
type Finding struct {
	What  string
	State string
	Plain string // the same for members, without settings; empty if it is no use to them
	Note  bool   // a warning; the bot can run
	Wrong bool   // it keeps the bot from running, or from something that is switched on

	Fault bool // of what is Wrong: a server does not answer or fails, which no setting mends
}

// A Checker is a category, or another part of the bot, that the check-up asks about itself. It sends no requests and changes nothing.
type Checker interface {
	Check(ctx context.Context) []Finding
}

// Runtimes are the ways to reach models, as the settings have them.
type Runtimes interface {
	// Usable reports whether a runtime can be used with the settings.
	Usable(runtime string) bool
	// IsProgram reports whether a program on this machine answers for a choice.
	IsProgram(llm.Choice) bool
	// Describe names a model, and where it is asked.
	Describe(llm.Choice) string
	// DescribeChat says which model writes the replies. Odd means that a setting should choose one.
	DescribeChat() (text string, odd bool)
	// Bare opens a usable runtime for a test of the connection. The caller must call end.
	Bare(runtime string) (r llm.Runtime, end func(context.Context))
}

// Options are what the check-up looks at.
type Options struct {
	Config       config.Config
	SettingsFile string          // absolute; empty if there is none
	Problems     func() []string // with the settings, that keep the bot from running
	Warnings     []string
	Broken       []string // those of Warnings about something that is switched on and cannot work
	Secrets      Files

	Discord       *discord.Client
	AddressedOnly bool // the bot answers only mentions and replies

	Registry *actions.Registry
	Flags    actions.CategoryFlags
	Parts    []Checker

	Models   *roles.Assignments
	Runtimes Runtimes
	Primary  string        // the runtime that is asked where none is named
	Tools    llm.ToolLevel // what models may do at most

	DataDir   string // empty if there is none
	CopyEvery time.Duration
	// Ports open the ports of the bot; without an error, they may return nil.
	Ports []func() (net.Listener, error)
}

// A Doctor does the check-up.
type Doctor struct{ Options }

// New returns the check-up.
func New(o Options) *Doctor { return &Doctor{o} }

// Check checks the settings and the state of this machine that they refer to. It sends no requests and changes nothing, so a bot may be
// running here meanwhile.
func (d *Doctor) Check(ctx context.Context) []Finding {
	var list []Finding
	if d.SettingsFile != "" {
		list = append(list, Finding{What: "settings", State: SettingsSource(d.SettingsFile)})
	}
	for _, problem := range d.Problems() {
		list = append(list, Finding{What: "settings", State: problem, Wrong: true})
	}
	for _, warning := range d.Warnings {
		broken := slices.Contains(d.Broken, warning)
		list = append(list, Finding{What: "settings", State: warning, Note: !broken, Wrong: broken})
	}
	for _, e := range d.Secrets.Exposed() {
		list = append(list, Finding{What: "secrets", State: e.String(), Note: true})
	}
	if d.Config.Discord.Token.Reveal() != "" {
		list = append(list, d.application())
	}
	if d.Runtimes.Usable(d.Primary) {
		text, odd := d.Runtimes.DescribeChat()
		list = append(list, Finding{What: "model", State: text, Note: odd})
	}
	list = append(list, d.audience(), d.Operators(), d.places())
	if only := d.Config.Discord.Guild; only != "" {
		list = append(list, d.fence(string(only)))
	}
	list = append(list, d.approval(), d.taint(), d.MachineTools())
	for _, part := range d.Parts {
		list = append(list, part.Check(ctx)...)
	}
	if d.DataDir != "" {
		list = append(list, d.data(ctx)...)
	}
	return slices.Concat(list, d.switchboard(), d.ports())
}

// ports are the findings about ports that the bot could not open, unless it has them open now.
func (d *Doctor) ports() (list []Finding) {
	if datadir.InUse(d.DataDir) != nil {
		return nil
	}
	for _, open := range d.Ports {
		switch l, err := open(); {
		case err != nil:
			list = append(list, Finding{What: "ports", State: err.Error(), Wrong: true})
		case l != nil:
			_ = l.Close() // nothing has come in
		}
	}
	return list
}
