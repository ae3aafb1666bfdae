package chat

// A VoiceState is the bot's voice state on one server, as Discord last sent it.
type VoiceState struct {
	Channel    ChannelID // empty while it is in none
	Mute, Deaf bool      // by its own choice
	// Served is set once Discord has named a voice server. There may be none for a
	// while after one has failed.
	Served bool
	// Lost is set if the bot is in no channel because its gateway session was
	// replaced, and not because a member disconnected it.
	Lost bool
}
