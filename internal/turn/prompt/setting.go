package prompt

import (
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/history"
)

// A Setting is what the prompts of all flows share.
type Setting struct {
	Who
	Where
	Heard
	Knowledge

	Style    string // how to write the answer, if it is not for reading; may be empty
	Gate     actions.Gate
	Dialects dialect.List                   // those of the turn
	Native   bool                           // models that can are given the actions as functions
	Once     bool                           // the model is asked once, so results do not come back to it
	Outside  *chat.Reading                  // gets the outside texts that the prompt has; may be nil
	Taint    actions.Taint                  // what becomes of changes once Outside has something
	Tools    bool                           // who asks has more tools on this machine, unless Outside has something
	Source   chat.SourceOf                  // returns the outside texts of a message
	Titles   func(text string) chat.Sources // returns those of the titles of posts that a text quotes; may be nil
	Handles  *chat.Handles                  // of the turn; without them, messages have no names
}

// Who are the two who talk.
type Who struct {
	Bot     string      // the bot's name
	Self    chat.UserID // the bot
	Asker   chat.UserID // who began the turn
	FromBot bool        // another bot began the turn, and may pass on the words of strangers
}

// Where is the place of the turn, and its time.
type Where struct {
	Guild   chat.GuildID
	Here    chat.ChannelID
	Channel string            // the channel's name, empty in a direct message
	Parent  string            // the name of the channel that a thread is in; empty unless it is one
	Around  chat.Surroundings // of the user who began the turn
	Now     time.Time         // in the time zone of the reader
}

// Heard is what was said before the turn, there and elsewhere.
type Heard struct {
	History       []history.Line // oldest first
	Budget        int            // characters for the history
	NamedChannels []NamedChannel // channels that the request names
	Recalled      []Recalled     // old messages, the most relevant first
	RecallBudget  int            // characters for those
}

// Knowledge is who the bot is, and what its documents and its categories tell it for this turn.
type Knowledge struct {
	Persona []chat.Document // who the bot is, the same in every turn
	Context []chat.Document // what concerns this channel
	Notes   []string        // for the model in this turn, a sentence each
	Known   []Known         // what may matter in this turn
}
