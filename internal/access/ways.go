package access

import "discoclaw/internal/actions"

// A Way is a way in: something by which people, or what they left behind, reach the
// bot. Whoever adds one adds its row below, or nobody gets in by it.
type Way uint8

const (
	ByMessage Way = iota
	ByEdit        // of a message that still waits
	ByReaction
	ByThread // a message in one, or starting one
	ByButton
	BySlashCommand
	ByCron
	ByDefer
	ByBacklog // a message from while the bot was away
	ByVoice
	ByWebhook
	ByMCP
	ByBot // a message of another bot, one that is on the list

	ways // how many there are
)

// A row says what a way in leads to.
type row struct {
	name string
	flow actions.Flow // whose rules the turn follows
	// unattended ways may be used with nobody known behind them. Such a turn has
	// nobody's rights, and does nothing that needs any.
	unattended bool
	bots       bool // is for bots, and for nobody else
}

var rows = [ways]row{
	ByMessage:      {name: "message", flow: actions.FlowMessage},
	ByEdit:         {name: "edit", flow: actions.FlowMessage},
	ByReaction:     {name: "reaction", flow: actions.FlowReaction},
	ByThread:       {name: "thread", flow: actions.FlowMessage},
	ByButton:       {name: "button", flow: actions.FlowMessage},
	BySlashCommand: {name: "slash command", flow: actions.FlowMessage},
	ByCron:         {name: "cron", flow: actions.FlowCron, unattended: true},
	ByDefer:        {name: "defer", flow: actions.FlowDefer},
	ByBacklog:      {name: "recovered backlog", flow: actions.FlowMessage},
	ByVoice:        {name: "voice", flow: actions.FlowVoice},
	ByWebhook:      {name: "webhook", flow: actions.FlowWebhook, unattended: true},
	ByMCP:          {name: "MCP", flow: actions.FlowMCP},
	ByBot:          {name: "trusted bot", flow: actions.FlowTrustedBot, bots: true},
}

// Ways are all ways in.
func Ways() []Way {
	var all []Way
	for w := range ways {
		all = append(all, w)
	}
	return all
}

func (w Way) String() string { return rows[w].name }

// Flow is whose rules a turn follows that begins by this way on a server.
func (w Way) Flow() actions.Flow { return rows[w].flow }
