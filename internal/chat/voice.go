package chat

// A VoiceState is where the bot is in voice on one server, as Discord has told.
type VoiceState struct {
	Channel    ChannelID // empty while it is in none
	Mute, Deaf bool      // by its own choice
	// Served says that Discord has named a server that carries the sound. There may
	// be none for a while after one has failed.
	Served bool
	// Lost says that the bot is in no channel because its connection to Discord
	// began anew, and not because anybody took it out.
	Lost bool
}
