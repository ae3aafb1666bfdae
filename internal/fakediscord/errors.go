package fakediscord

import "fmt"

// An apiError is a refusal in Discord's words.
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
type apiError struct {
	status  int
	code    int
	message string
	fields  object // for 50035: what is wrong, by field
}

func (e *apiError) Error() string { return fmt.Sprintf("%s (%d)", e.message, e.code) }

func (e *apiError) json() object {
	o := object{"code": e.code, "message": e.message}
	if e.fields != nil {
		o["errors"] = e.fields
	}
	return o
}

var (
	errUnauthorized        = &apiError{status: 401, message: "401: Unauthorized"}
	errUnknownChannel      = &apiError{status: 404, code: 10003, message: "Unknown Channel"}
	errUnknownGuild        = &apiError{status: 404, code: 10004, message: "Unknown Guild"}
	errUnknownInvite       = &apiError{status: 404, code: 10006, message: "Unknown Invite"}
	errUnknownMember       = &apiError{status: 404, code: 10007, message: "Unknown Member"}
	errUnknownMessage      = &apiError{status: 404, code: 10008, message: "Unknown Message"}
	errUnknownRole         = &apiError{status: 404, code: 10011, message: "Unknown Role"}
	errUnknownUser         = &apiError{status: 404, code: 10013, message: "Unknown User"}
	errUnknownEmoji        = &apiError{status: 400, code: 10014, message: "Unknown Emoji"}
	errNoSuchEmoji         = &apiError{status: 404, code: 10014, message: "Unknown Emoji"} // of a path, not of a reaction
	errUnknownWebhook      = &apiError{status: 404, code: 10015, message: "Unknown Webhook"}
	errNotInVoice          = &apiError{status: 400, code: 40032, message: "Target user is not connected to voice."}
	errUnknownBan          = &apiError{status: 404, code: 10026, message: "Unknown Ban"}
	errUnknownOverwrite    = &apiError{status: 404, code: 10009, message: "Unknown Permission Overwrite"}
	errUnknownEvent        = &apiError{status: 404, code: 10070, message: "Unknown Guild Scheduled Event"}
	errTooManyEvents       = &apiError{status: 400, code: 30038, message: "Maximum number of uncompleted guild scheduled events reached (100)"}
	errUnknownCommand      = &apiError{status: 404, code: 10063, message: "Unknown application command"}
	errUnknownInteraction  = &apiError{status: 404, code: 10062, message: "Unknown interaction"}
	errUnknownTag          = &apiError{status: 404, code: 10087, message: "Unknown Tag"}
	errTooManyPins         = &apiError{status: 400, code: 30003, message: "Maximum number of pins reached (250)"}
	errTooManyRoles        = &apiError{status: 400, code: 30005, message: "Maximum number of server roles reached (250)"}
	errTooManyReactions    = &apiError{status: 400, code: 30010, message: "Maximum number of reactions reached (20)"}
	errTooManyChannels     = &apiError{status: 400, code: 30013, message: "Maximum number of server channels reached (500)"}
	errTooManyPinnedPosts  = &apiError{status: 400, code: 30047, message: "Maximum number of pinned threads in a forum channel has been reached"}
	errTooLarge            = &apiError{status: 413, code: 40005, message: "Request entity too large"}
	errOneMoveAtATime      = &apiError{status: 400, code: 40009, message: "Only one channel can have a parent_id modified at a time"}
	errCrossposted         = &apiError{status: 400, code: 40033, message: "This message has already been crossposted."}
	errAcknowledged        = &apiError{status: 400, code: 40060, message: "Interaction has already been acknowledged."}
	errTagNames            = &apiError{status: 400, code: 40061, message: "Tag names must be unique"}
	errTagRequired         = &apiError{status: 400, code: 40067, message: "A tag is required to create a forum post in this channel"}
	errMissingAccess       = &apiError{status: 403, code: 50001, message: "Missing Access"}
	errNotInDM             = &apiError{status: 403, code: 50003, message: "Cannot execute action on a DM channel"}
	errNotYours            = &apiError{status: 403, code: 50005, message: "Cannot edit a message authored by another user"}
	errEmptyMessage        = &apiError{status: 400, code: 50006, message: "Cannot send an empty message"}
	errNoTextChannel       = &apiError{status: 400, code: 50008, message: "Cannot send messages in a non-text channel"}
	errMissingPermissions  = &apiError{status: 403, code: 50013, message: "Missing Permissions"}
	errCannotMessageUser   = &apiError{status: 403, code: 50007, message: "Cannot send messages to this user"}
	errBulkCount           = &apiError{status: 400, code: 50016, message: "Provided too few or too many messages to delete. Must provide at least 2 and at most 100 messages to delete"}
	errPollOver            = &apiError{status: 400, code: 520001, message: "Poll expired"}
	errNoPoll              = &apiError{status: 400, code: 520006, message: "Cannot expire a non-poll message"}
	errSystemMessage       = &apiError{status: 403, code: 50021, message: "Cannot execute action on a system message"}
	errWrongChannelType    = &apiError{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	errInvalidRole         = &apiError{status: 403, code: 50028, message: "Invalid Role"}
	errWebhookToken        = &apiError{status: 401, code: 50027, message: "Invalid Webhook Token"}
	errBulkTooOld          = &apiError{status: 400, code: 50034, message: "You can only bulk delete messages that are under 14 days old."}
	errWrongMessageType    = &apiError{status: 400, code: 50068, message: "Invalid message type"}
	errRulesChannel        = &apiError{status: 400, code: 50074, message: "Cannot delete a channel required for Community servers"}
	errArchived            = &apiError{status: 400, code: 50083, message: "Thread is archived"}
	errBoosts              = &apiError{status: 400, code: 50101, message: "This server needs more boosts to perform this action"}
	errBadJSON             = &apiError{status: 400, code: 50109, message: "The request body contains invalid JSON."}
	errReplyWithoutHistory = &apiError{status: 400, code: 160002, message: "Cannot reply without permission to read message history"}
	errThreadExists        = &apiError{status: 400, code: 160004, message: "A thread has already been created for this message"}
	errLocked              = &apiError{status: 403, code: 160005, message: "Thread is locked"}
)

// invalid is the error of one field of a request. The field may be a path, as in
// message.content.
func invalid(field, code, format string, args ...any) *apiError {
	fields := object{"_errors": []object{{"code": code, "message": fmt.Sprintf(format, args...)}}}
	for rest := field; rest != ""; {
		var key string
		rest, key = cutLast(rest)
		fields = object{key: fields}
	}
	return &apiError{status: 400, code: 50035, message: "Invalid Form Body", fields: fields}
}

// cutLast takes the last part off a dotted path.
func cutLast(path string) (rest, last string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[:i], path[i+1:]
		}
	}
	return "", path
}
