package gateway

import (
	"fmt"
	"strings"
)

// A closeCode is the meaning of a close code.
type closeCode struct {
	name     string
	then     next
	sentence string // for those that end Run: what is wrong and what to do
}

// closeCodes are the codes in Discord's documentation ("Gateway Close Event Codes"), with its
// columns Reconnect and Resume. Any other code, as a proxy may send, is like a connection
// that just broke: worth a RESUME.
var closeCodes = map[int]closeCode{
	4000: {name: "unknown error", then: resume},
	4001: {name: "unknown opcode", then: identify},
	4002: {name: "decode error", then: resume},
	4003: {name: "not authenticated", then: identify},
	4004: {name: "authentication failed", then: stop,
		sentence: "Discord refused the token: set DISCORD_TOKEN to the token of your bot, which " + portal + " shows on the page Bot after Reset Token"},
	4005: {name: "already authenticated", then: identify},
	4007: {name: "invalid sequence", then: identify},
	4008: {name: "rate limited", then: resume},
	4009: {name: "session timed out", then: identify},
	4010: {name: "invalid shard", then: stop,
		sentence: "Discord refused the shard of this connection, though the bot asks for none: update DiscoClaw, and if that does not help, report it"},
	4011: {name: "sharding required", then: stop,
		sentence: "Discord says that the bot is in too many servers for one connection, which is all DiscoClaw can do: remove it from servers that do not need it"},
	4012: {name: "invalid API version", then: stop,
		sentence: "Discord no longer accepts version " + version + " of its gateway: update DiscoClaw"},
	4013: {name: "invalid intents", then: stop,
		sentence: "Discord does not know one of the intents that the bot asks for: update DiscoClaw"},
	4014: {name: "disallowed intents", then: stop,
		sentence: "Discord does not let the bot use %s: open your application at " + portal + ", switch it on on the page Bot under Privileged Gateway Intents, and start again"},
}

const portal = "https://discord.com/developers/applications"

// A CloseError means that Discord closed the connection. Run returns one for the codes after
// which reconnecting is pointless.
type CloseError struct {
	Code    int
	Reason  string // as Discord put it; may be empty
	Intents int    // of the bot's IDENTIFY
}

// Error returns one sentence, with the remedy if there is one.
func (e *CloseError) Error() string {
	known := closeCodes[e.Code]
	switch {
	case e.Code == 4014:
		return fmt.Sprintf(known.sentence, e.privileged())
	case known.sentence != "":
		return known.sentence
	case known.name != "":
		return fmt.Sprintf("Discord closed the connection with code %d, %s", e.Code, known.name)
	case e.Reason != "":
		return fmt.Sprintf("the connection was closed with code %d, %q", e.Code, e.Reason)
	default:
		return fmt.Sprintf("the connection was closed with code %d", e.Code)
	}
}

// privileged returns the intents that need a switch in the developer portal, by their names
// there.
func (e *CloseError) privileged() string {
	var names []string
	for _, p := range []struct {
		bit  int
		name string
	}{
		{1 << 15, "the Message Content Intent"},
		{1 << 1, "the Server Members Intent"},
		{1 << 8, "the Presence Intent"},
	} {
		if e.Intents&p.bit != 0 {
			names = append(names, p.name)
		}
	}
	if len(names) == 0 {
		return "a privileged intent, such as the Message Content Intent"
	}
	return strings.Join(names, " or ")
}
