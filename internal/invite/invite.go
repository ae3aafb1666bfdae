// Package invite knows which permissions the bot needs on a server, and links that invite it with them.
package invite

import (
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/discord"
)

// ToTalk is what the bot needs for reading and answering, whatever its actions need.
var ToTalk = []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.SendInThreads, chat.ReadHistory}

// botNeeds lists what the bot itself needs for an action, besides ToTalk, where that differs from
// what the requester needs. An action that checks the requester's permissions only by looking at
// the request (AlsoNeeds without Needs) must be listed.
var botNeeds = map[string][]chat.Permission{
	"editMessage":        nil,                   // only its own
	"deleteMessage":      {chat.ManageMessages}, // its requester needs that, except for what the bot sent for them
	"unreact":            nil,                   // only its own
	"threadCreate":       {chat.CreateThreads, chat.CreatePrivateThreads},
	"reactionPrompt":     {chat.AddReactions},
	"channelPermissions": {chat.ManageRoles},
	"memberInfo":         nil,
	"memberList":         nil, // needs the Server Members Intent instead
	"roleInfo":           nil,
	"memberNickname":     {chat.ManageNicknames, chat.ChangeNickname},
	"emojiList":          nil,
	"eventList":          nil,
	"inviteList":         {chat.ManageServer, chat.ManageChannels}, // for all invites, and for one channel's
	"botSetNickname":     {chat.ChangeNickname},
	"taskCreate":         {chat.ManageThreads}, // for tags and the archive, also of posts that people made
}

// Needs returns what the bot needs for an action, besides ToTalk.
func Needs(a *actions.Action) []chat.Permission {
	if needs, listed := botNeeds[a.Name]; listed {
		return needs
	}
	return a.Needs
}

// noApplication is the placeholder for an unknown application ID in a link.
const noApplication = "APPLICATION_ID"

// An Invitation describes how to add the bot to a server.
type Invitation struct {
	Link        string
	Known       bool     // the link has the application's ID; otherwise people have to fill it in
	Categories  []string // the categories of actions that are on
	Permissions []string
	Number      int64 // the permissions as Discord's bit set
}

// New returns the invitation of the bot with this token. Without one, the link has a placeholder.
func New(token string, r *actions.Registry, flags actions.CategoryFlags) (Invitation, error) {
	if token == "" {
		return For(noApplication, r, flags), nil
	}
	application, ok := discord.ApplicationOf(token)
	if !ok {
		return Invitation{}, config.Mistakef("DISCORD_TOKEN does not have the form of a bot's token, which is three parts with dots between; copy a fresh one from Discord's developer portal (Bot → Reset Token)")
	}
	return For(application, r, flags), nil
}

// For returns the invitation of an application's bot, for the categories that are on.
func For(application string, r *actions.Registry, flags actions.CategoryFlags) Invitation {
	i := Invitation{Known: application != noApplication}
	rights := slices.Clone(ToTalk)
	for _, cat := range r.Categories() {
		if !flags[cat.Name()].On {
			continue
		}
		i.Categories = append(i.Categories, cat.Name())
		for _, a := range cat.Actions() {
			rights = append(rights, Needs(a)...)
		}
	}
	names, number := discord.Grant(rights)
	i.Permissions, i.Number = texts(names), number
	i.Link = discord.InviteURL(application, number)
	return i
}

func texts(names []chat.Permission) []string {
	var list []string
	for _, n := range names {
		list = append(list, string(n))
	}
	return list
}
