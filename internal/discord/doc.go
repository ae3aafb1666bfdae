// Package discord is the bot's only door to Discord. It turns what Discord sends
// into chat values, and chat values into requests.
//
// Start with [Client]: New makes one, Run logs in and delivers events to a
// [Handler] in order, and the other methods do one thing each over REST: send,
// edit, pin, make and move channels, resolve a channel's name, ask which permissions
// a member lacks. SetPresence and JoinVoice speak over the connection that Run keeps.
//
// Some things hold for every request and are therefore decided here, not by
// callers:
//
//   - no message or edit can mention anyone, whatever its text says;
//   - text that Discord would not take is refused with a sentence, not cut;
//   - requests of one kind to one channel leave in the order they were made;
//   - a request is repeated only if that cannot do the thing twice;
//   - a refusal becomes an [Error] that names the missing permission and where
//     to grant it.
//
// A session with Discord may outlive the process: [Sessions] keeps the bot's place in it, and the next process resumes it
// there, so that what happened meanwhile is replayed. Discord does not describe the bot's servers again then, and to
// begin a new session for that would lose what was said up to its beginning. So each server is described over
// REST once the RESUME is accepted: in the background, and at once if an event or somebody who asks needs it. No
// event of a server is handled before; see undescribed.go. Until all that was missed has come, [Client.MissingPermissions] and
// [Client.Outranks] wait. What was saved in place of that could be as old as the last process.
//
// discordgo supplies addresses, types and permission bits. Its gateway, state and
// rate limiter are not used: see the packages gateway and rest, and cache.go.
package discord
