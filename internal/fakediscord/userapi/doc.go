// Package userapi is for members what Discord's REST API is for bots: an HTTP API
// with which a web page acts as a member of a fakediscord.World. It shows what is
// visible to that member and does what that member may do; the world decides, by its
// permissions.
//
// Start with [New]. The [Handler] serves everything under /api/ and, because
// messages point there, the files under /attachments/:
//
//	GET    /api/world
//	GET    /api/channels/{channel}/messages?before=ID&limit=50
//	POST   /api/channels/{channel}/messages
//	PATCH  /api/channels/{channel}/messages/{message}
//	DELETE /api/channels/{channel}/messages/{message}
//	PUT    /api/channels/{channel}/messages/{message}/reactions/{emoji}
//	DELETE /api/channels/{channel}/messages/{message}/reactions/{emoji}
//	PUT    /api/channels/{channel}/messages/{message}/votes/{answer}
//	DELETE /api/channels/{channel}/messages/{message}/votes/{answer}
//	POST   /api/channels/{channel}/messages/{message}/press
//	POST   /api/channels/{channel}/messages/{message}/commands
//	POST   /api/channels/{channel}/threads
//	GET    /api/channels/{channel}/commands
//	POST   /api/channels/{channel}/commands
//	POST   /api/channels/{channel}/commands/suggestions
//	POST   /api/channels/{channel}/forms
//	GET    /api/events
//	GET    /attachments/{channel}/{attachment}/{name}
//
// Every request below /api/ names with as=NAME (or an ID) the member it acts for. There is
// no password: a client of the API may act as any member. It is meant for one person at one
// computer, so it refuses all others: it answers only to a Host that means this computer,
// and only to requests with the header X-Discoclaw: play, which no web page of another
// origin can send.
//
// docs/dev/playground-api.md has the requests and answers field by field.
//
// # Events
//
// GET /api/events is a stream that begins with hello and then sends the changes that are
// visible to one member. It works by comparison: on every event, the stream reads the
// world again as the member and sends the differences from what it has sent before. So a
// channel that becomes hidden from a member is deleted for them, and one that becomes
// visible is new.
//
// The world never waits for a reader. Each has a queue; one that is too slow for it
// is disconnected, and has to reconnect and read the state again.
package userapi
