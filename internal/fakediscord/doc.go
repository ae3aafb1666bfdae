// Package fakediscord is a small Discord: a server with REST routes, a gateway, and
// a World behind them that can be looked at and changed. Tests and the playground
// run the real client against it, so nothing in the bot knows the difference.
//
// New makes a World from a layout, a few lines of text that the package layout explains:
//
//	guild disco: #general #ops
//	member ada: owner
//	member bob
//
// Handler serves the world. People act through Say, React, Press and the like,
// which refuse what the person could not do; Messages, Transcript and Requests show
// what came of it; Deny, Archive and others change the world as an administrator
// would; Outage, OutageOf, ExpelBot and InviteBot change whether a guild is there for the
// bot; EnterVoice and LeaveVoice move people between voice channels; BotPresence is how
// the bot shows itself; Fail and Limit make the server behave badly. Names of channels
// may be written with or without #, as IDs, or as @ada for the bot's conversation with
// ada. What several guilds have needs the guild before its name, as in lair/general or
// lair/bob. GuildID, Members, Roles and others that ask for no name tell of the first
// guild.
//
// ViewOf is the world as one member sees it; the package userapi makes a web API of
// that, for people. The package save keeps a world in a file.
//
// It answers only what the bot asks for. A route that is not built answers 501 and
// is listed by Unbuilt. What it does answer follows Discord's own description of
// its API: permissions, error codes, limits and all; the tests hold it to that.
//
// Nothing here waits while holding a lock, so a World works inside a test bubble.
// For tests there is discordtest, which serves a world in memory.
package fakediscord
