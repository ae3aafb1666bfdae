package app

import (
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/reference"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/discord"
)

// toTalk is what the bot needs to read and to answer, whatever it may do besides.
var toTalk = []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.SendInThreads, chat.ReadHistory}

// botNeeds is what the bot itself needs for an action, besides what it takes to talk,
// where that is not what the action asks of people. An action that asks people for
// something only after a look at the request has to be here.
var botNeeds = map[string][]chat.Permission{
	"editMessage":        nil, // only its own
	"unreact":            nil, // only its own
	"reactionPrompt":     {chat.AddReactions},
	"channelPermissions": {chat.ManageRoles},
	"memberInfo":         nil,
	"memberList":         nil, // but the Server Members Intent
	"roleInfo":           nil,
	"memberNickname":     {chat.ManageNicknames, chat.ChangeNickname},
	"emojiList":          nil,
	"eventList":          nil,
	"inviteList":         {chat.ManageServer, chat.ManageChannels}, // for all invites, and for one channel's
	"botSetNickname":     {chat.ChangeNickname},
}

// needsOfBot is what the bot needs for an action.
func needsOfBot(a *actions.Action) []chat.Permission {
	if needs, listed := botNeeds[a.Name]; listed {
		return needs
	}
	return a.Needs
}

// noApplication stands in a link for the ID of an application that is not known.
const noApplication = "APPLICATION_ID"

// An Invitation is what people need to put the bot on their server.
type Invitation struct {
	Link        string
	Known       bool     // the link has the ID of the application; otherwise people put it in
	Categories  []string // of actions, those that are on
	Permissions []string
	Number      int64 // stands for the permissions
}

// Invite makes the invitation for what the environment switches on.
func (c *Core) Invite() (Invitation, error) {
	application, known := noApplication, false
	if token := c.Config.Discord.Token.Reveal(); token != "" {
		if application, known = discord.ApplicationOf(token); !known {
			return Invitation{}, Mistakef("DISCORD_TOKEN does not have the form of a bot's token, which is three parts with dots between; copy a fresh one from Discord's developer portal (Bot → Reset Token)")
		}
	}
	i := c.invitation(c.flags)
	i.Link, i.Known = discord.InviteURL(application, i.Number), known
	return i, nil
}

// invitation is for the categories that are on, to an application that is not known.
func (c *Core) invitation(flags actions.CategoryFlags) Invitation {
	var i Invitation
	rights := slices.Clone(toTalk)
	for _, cat := range c.registry.Categories() {
		if !flags[cat.Name()].On {
			continue
		}
		i.Categories = append(i.Categories, cat.Name())
		for _, a := range cat.Actions() {
			rights = append(rights, needsOfBot(a)...)
		}
	}
	names, number := discord.Grant(rights)
	i.Permissions, i.Number = texts(names), number
	i.Link = discord.InviteURL(noApplication, number)
	return i
}

func texts(names []chat.Permission) []string {
	var list []string
	for _, n := range names {
		list = append(list, string(n))
	}
	return list
}

// PermissionTables are for people who choose what to invite the bot with.
func (c *Core) PermissionTables() (string, error) {
	cats := c.registry.Categories()
	usual, _, err := actions.FlagsFromEnv(config.Env{}, cats)
	if err != nil {
		return "", err
	}
	all := actions.FlagsOf(cats, func(string) bool { return true })
	none := actions.FlagsOf(cats, func(string) bool { return false })
	profile := func(name, about string, flags actions.CategoryFlags) reference.Profile {
		i := c.invitation(flags)
		return reference.Profile{Name: name, About: about, Permissions: i.Permissions, Number: i.Number, Link: i.Link}
	}
	var wants []reference.Want
	for _, cat := range cats {
		var rights []chat.Permission
		for _, a := range cat.Actions() {
			rights = append(rights, needsOfBot(a)...)
		}
		rights = slices.DeleteFunc(rights, func(p chat.Permission) bool { return slices.Contains(toTalk, p) })
		names, _ := discord.Grant(rights)
		wants = append(wants, reference.Want{Category: cat, Permissions: texts(names)})
	}
	return reference.Permissions([]reference.Profile{
		profile("minimal", "It talks, and does nothing else: `"+actions.MasterSwitch+"=0`.", none),
		profile("standard", "What is on unless you switch it off.", usual),
		profile("full", "Everything it can do, moderation and voice too.", all),
	}, wants), nil
}
