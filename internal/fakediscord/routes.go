package fakediscord

// routes are all REST endpoints that the world answers.
func routes() []route {
	return []route{
		{method: "GET", pattern: "/gateway", handle: getGateway, open: true},
		{method: "GET", pattern: "/gateway/bot", handle: getGatewayBot},
		{method: "GET", pattern: "/users/@me", handle: getMe},
		{method: "POST", pattern: "/users/@me/channels", handle: createDM},
		{method: "GET", pattern: "/applications/@me", handle: getApplication},
		{method: "GET", pattern: "/oauth2/applications/@me", handle: getApplication},

		{method: "GET", pattern: "/guilds/{guild}", handle: getGuild},
		{method: "GET", pattern: "/guilds/{guild}/channels", handle: listChannels},
		{method: "POST", pattern: "/guilds/{guild}/channels", handle: createChannel},
		{method: "PATCH", pattern: "/guilds/{guild}/channels", handle: arrangeChannels},
		{method: "GET", pattern: "/guilds/{guild}/roles", handle: listRoles},
		{method: "GET", pattern: "/guilds/{guild}/members/{user}", handle: getMember},
		{method: "GET", pattern: "/guilds/{guild}/threads/active", handle: activeThreads},

		{method: "GET", pattern: "/channels/{channel}", handle: getChannel},
		{method: "PATCH", pattern: "/channels/{channel}", handle: editChannel},
		{method: "DELETE", pattern: "/channels/{channel}", handle: deleteChannel},
		{method: "POST", pattern: "/channels/{channel}/typing", handle: startTyping},
		{method: "GET", pattern: "/channels/{channel}/messages", handle: listMessages},
		{method: "POST", pattern: "/channels/{channel}/messages", handle: createMessage},
		{method: "POST", pattern: "/channels/{channel}/messages/bulk-delete", handle: bulkDelete},
		{method: "GET", pattern: "/channels/{channel}/messages/{message}", handle: getMessage},
		{method: "PATCH", pattern: "/channels/{channel}/messages/{message}", handle: editMessage},
		{method: "DELETE", pattern: "/channels/{channel}/messages/{message}", handle: deleteMessage},
		{method: "POST", pattern: "/channels/{channel}/messages/{message}/crosspost", handle: crosspost},

		{method: "GET", pattern: "/channels/{channel}/messages/{message}/reactions/{emoji}", handle: listReactors},
		{method: "PUT", pattern: "/channels/{channel}/messages/{message}/reactions/{emoji}/@me", handle: addReaction},
		{method: "DELETE", pattern: "/channels/{channel}/messages/{message}/reactions/{emoji}/@me", handle: removeReaction},
		{method: "DELETE", pattern: "/channels/{channel}/messages/{message}/reactions/{emoji}/{user}", handle: removeReaction},

		{method: "GET", pattern: "/channels/{channel}/messages/pins", handle: listPins},
		{method: "PUT", pattern: "/channels/{channel}/messages/pins/{message}", handle: addPin},
		{method: "DELETE", pattern: "/channels/{channel}/messages/pins/{message}", handle: removePin},
		{method: "GET", pattern: "/channels/{channel}/pins", handle: listPinsAtOnce},
		{method: "PUT", pattern: "/channels/{channel}/pins/{message}", handle: addPin},
		{method: "DELETE", pattern: "/channels/{channel}/pins/{message}", handle: removePin},

		{method: "POST", pattern: "/channels/{channel}/threads", handle: threadInChannel},
		{method: "GET", pattern: "/channels/{channel}/threads/archived/public", handle: archivedThreads},
		{method: "POST", pattern: "/channels/{channel}/messages/{message}/threads", handle: threadFromMessage},
		{method: "PUT", pattern: "/channels/{channel}/thread-members/@me", handle: joinThread},
		{method: "GET", pattern: "/channels/{channel}/thread-members/{user}", handle: getThreadMember},

		{method: "POST", pattern: "/interactions/{interaction}/{token}/callback", handle: answerInteraction, open: true},
		{method: "POST", pattern: "/webhooks/{webhook}/{token}", handle: createFollowUp, open: true},
		{method: "GET", pattern: "/webhooks/{webhook}/{token}/messages/@original", handle: getFollowUp, open: true},
		{method: "PATCH", pattern: "/webhooks/{webhook}/{token}/messages/@original", handle: editFollowUp, open: true},
		{method: "DELETE", pattern: "/webhooks/{webhook}/{token}/messages/@original", handle: deleteFollowUp, open: true},
		{method: "GET", pattern: "/webhooks/{webhook}/{token}/messages/{message}", handle: getFollowUp, open: true},
		{method: "PATCH", pattern: "/webhooks/{webhook}/{token}/messages/{message}", handle: editFollowUp, open: true},
		{method: "DELETE", pattern: "/webhooks/{webhook}/{token}/messages/{message}", handle: deleteFollowUp, open: true},
	}
}
