package discordtest

import (
	"context"

	"discoclaw/internal/chat"
)

// Deaf is a discord.Handler that ignores all events. A test embeds it and implements only
// the methods that it needs.
type Deaf struct{}

func (Deaf) Ready(chat.User)                               {}
func (Deaf) Message(context.Context, chat.Message)         {}
func (Deaf) GuildAvailable(chat.GuildID)                   {}
func (Deaf) EnteredVoice(chat.GuildID, chat.Occupant)      {}
func (Deaf) OwnMessage(chat.Message)                       {}
func (Deaf) ChannelSeen(chat.Place)                        {}
func (Deaf) ChannelDeleted(chat.Place)                     {}
func (Deaf) Edited(context.Context, chat.Message)          {}
func (Deaf) Deleted(context.Context, chat.Place)           {}
func (Deaf) Pressed(context.Context, chat.Press)           {}
func (Deaf) Reacted(context.Context, chat.Reacted)         {}
func (Deaf) ThreadCreated(context.Context, chat.Channel)   {}
func (Deaf) ThreadChanged(chat.Channel)                    {}
func (Deaf) SlashCommand(context.Context, chat.Invocation) {}
func (Deaf) Completing(context.Context, chat.Completion)   {}
func (Deaf) Picked(context.Context, chat.Picked)           {}
func (Deaf) Submitted(context.Context, chat.Submission)    {}
