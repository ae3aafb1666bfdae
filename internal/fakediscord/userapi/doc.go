// Package userapi is for people what Discord's REST API is for bots: an HTTP API
// with which a web page lets somebody be a member of a fakediscord.World. They see
// what that member sees and do what that member may do, and nothing else; the
// world decides, with its own arithmetic of permissions and in its own words.
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
//	POST   /api/channels/{channel}/messages/{message}/press
//	POST   /api/channels/{channel}/threads
//	POST   /api/channels/{channel}/commands
//	GET    /api/events
//	GET    /attachments/{channel}/{attachment}/{name}
//
// Every request below /api/ says with as=NAME (or an ID) which member it speaks
// for. There is no password: whoever reaches the API may be anybody. It is meant
// for one person at one computer, so it keeps everybody else out: it answers only
// to a Host that means this computer, and only to requests with the header
// X-Discoclaw: play, which no web page of another origin can send.
//
// docs/playground-api.md has the requests and answers field by field.
//
// # Events
//
// GET /api/events is a stream that begins with hello and then tells what changes
// for one member. It is made by comparing: whenever something happens, the stream
// looks at the world again through the member's eyes and tells what is different
// from what it told before. So a channel that a member is shut out of is gone for
// them, and one that is opened to them is new.
//
// The world never waits for a reader. Each has a queue; one that is too slow for it
// is cut off, comes back and asks for what it shows.
package userapi
