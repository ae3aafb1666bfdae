package discordtest

import (
	"context"

	"discoclaw/internal/chat"
)

// Deaf is a discord.Handler that hears nothing. A test that listens for something
// embeds it and says only what that is.
type Deaf struct{}

func (Deaf) Ready(chat.User)                             {}
func (Deaf) Message(context.Context, chat.Message)       {}
func (Deaf) Regained(chat.GuildID)                       {}
func (Deaf) Wrote(chat.Place)                            {}
func (Deaf) Made(chat.Place)                             {}
func (Deaf) Edited(context.Context, chat.Message)        {}
func (Deaf) Deleted(context.Context, chat.Place)         {}
func (Deaf) Pressed(context.Context, chat.Press)         {}
func (Deaf) Reacted(context.Context, chat.Reacted)       {}
func (Deaf) Opened(context.Context, chat.Channel)        {}
func (Deaf) Invoked(context.Context, chat.Invocation)    {}
func (Deaf) Completing(context.Context, chat.Completion) {}
