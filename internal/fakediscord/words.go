package fakediscord

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// The words of a State in JSON for Discord's numbers. Numbers without a word are written
// as such.

var channelWords = []string{
	TextChannel: "text", DMChannel: "direct message", VoiceChannel: "voice", CategoryChannel: "category",
	AnnouncementChannel: "announcement", AnnouncementThread: "announcement thread", PublicThread: "thread",
	PrivateThread: "private thread", StageChannel: "stage", ForumChannel: "forum",
}

// MarshalText is the kind of channel in a word.
func (t ChannelType) MarshalText() ([]byte, error) { return word(channelWords, int(t)), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *ChannelType) UnmarshalText(text []byte) error {
	n, err := fromWord(channelWords, string(text), "kind of channel")
	*t = ChannelType(n)
	return err
}

var messageWords = []string{
	DefaultMessage: "message", NameChange: "rename notice", PinNotice: "pin notice", ThreadCreated: "thread notice",
	CommandAnswer: "command answer", ReplyMessage: "reply", ThreadStarter: "thread starter", PollResult: "poll result",
}

// MarshalText is the type of message in a word.
func (t MessageType) MarshalText() ([]byte, error) { return word(messageWords, int(t)), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *MessageType) UnmarshalText(text []byte) error {
	n, err := fromWord(messageWords, string(text), "type of message")
	*t = MessageType(n)
	return err
}

func word(words []string, n int) []byte {
	if n < len(words) && words[n] != "" {
		return []byte(words[n])
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

func fromWord(words []string, text, what string) (int, error) {
	if n := slices.Index(words, text); n >= 0 && text != "" {
		return n, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is no %s", chat.Clip(text, 40), what)
	}
	return int(n), nil
}

// MarshalJSON lists the names of the rights, and bits without one as "bit 47".
func (p Permissions) MarshalJSON() ([]byte, error) {
	names := []string{}
	for bit := range 64 {
		switch {
		case !p.Has(1 << bit):
		case bit < len(permissionNames) && permissionNames[bit] != "":
			names = append(names, string(permissionNames[bit]))
		default:
			names = append(names, fmt.Sprintf("bit %d", bit))
		}
	}
	return json.Marshal(names)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Permissions) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	*p = 0
	for _, name := range names {
		right, err := ParsePermission(chat.Permission(name))
		if number, unnamed := strings.CutPrefix(name, "bit "); unnamed {
			var bit uint64
			bit, err = strconv.ParseUint(number, 10, 6)
			right = 1 << bit
		}
		if err != nil {
			return err
		}
		*p |= right
	}
	return nil
}
