// Package discord is the adapter to Discord: it turns events into chat values, and chat values
// into requests.
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
//   - text that Discord would refuse is refused with a sentence, not cut;
//   - requests of one route to one channel are sent in the order they were made;
//   - a request is retried only if it is idempotent or certainly failed;
//   - a refusal becomes an [Error] that names the missing permission and where
//     to grant it.
//
// A gateway session may outlive the process: [Sessions] keeps it with its sequence number, and the next process resumes it
// there, so that missed events are replayed. Discord does not describe the bot's servers again then, and a new session
// would lose the events up to its beginning. So each server is fetched over REST once the RESUME is accepted: in the
// background, and at once if an event or a caller needs it. No event of a server is handled before; see resume.go.
// Until the replay is complete, [Client.MissingPermissions] and [Client.Outranks] wait. A saved copy of the servers
// could be as old as the last process.
//
// discordgo supplies addresses, types and permission bits. Its gateway, state and
// rate limiter are not used: see the packages gateway and rest, and cache.go.
package discord
