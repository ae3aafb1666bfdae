// Package fakediscord is a small Discord: a server with REST routes, a gateway, and
// a World behind them that can be inspected and changed. Tests and the playground
// run the real client against it.
//
// New makes a World from a layout, a few lines of text that the package layout explains:
//
//	guild disco: #general #ops
//	member ada: owner
//	member bob
//
// Handler serves the world. Members act through Say, React, Press and the like,
// which refuse what the member could not do; Messages, Transcript and Requests show
// the results; Deny, Archive and others change the world as an administrator
// would; Outage, OutageOf, ExpelBot and InviteBot change whether a guild is available to
// the bot; EnterVoice and LeaveVoice move members between voice channels, and UseVoiceServer
// names a server at which their clients meet, such as one of the package fakevoice; BotPresence
// is the bot's presence; Fail and Limit make the server behave badly. Names of channels
// may be written with or without #, as IDs, or as @ada for the bot's direct messages with
// ada. A name that several guilds have needs the guild before it, as in lair/general or
// lair/bob. GuildID, Members, Roles and others without a name are about the first guild.
//
// ViewOf is the world as one member sees it; the package userapi makes a web API of
// that, for people. The package save keeps a world in a file.
//
// It answers the requests that the bot makes, and most of those of other clients; see the
// package internal/test/foreign. A route, or a part of a request, that is not built answers 501 and is
// listed by Unbuilt: forwarding messages, executing webhooks, media channels, stickers, text to
// speech, components other than buttons, query parameters that few clients send, and the gateway's ETF among them. The others
// follow Discord's own description of its API: permissions, error codes, limits and all; the tests check that. Known to differ
// silently: links get no previews, no rate limit has the scope shared, and a form may have more than five rows.
//
// Nothing here waits while holding a lock, so a World works inside a test bubble.
// For tests there is discordtest, which serves a world in memory.
package fakediscord
