package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Discord's codes that discordgo does not know.
const (
	codeUnknownTag  = 10087
	codeBadName     = 20031  // a name has words that Discord does not allow
	codeNoOpenTags  = 40066  // a post needs a tag, and the bot may set none of them
	codeTagRequired = 40067  // a post needs a tag
	codeTwoFactor   = 60003  // the server requires two-factor login of moderators
	codeAutoMod     = 200000 // the server's AutoMod blocked a text
)

// gone has the sentences for missing things, by Discord's code. A %s stands for the place.
var gone = map[int]string{
	discordgo.ErrCodeUnknownChannel: "there is no such channel; it may have been deleted",
	discordgo.ErrCodeUnknownGuild:   "there is no such server, or I am not on it; invite me first",
	discordgo.ErrCodeUnknownMember:  "there is no such member on this server",
	discordgo.ErrCodeUnknownMessage: "there is no such message in %s; it may have been deleted",
	discordgo.ErrCodeUnknownUser:    "there is no such user",
	discordgo.ErrCodeUnknownRole:    "there is no such role on this server; it may have been deleted",
	discordgo.ErrCodeUnknownBan:     "this user is not banned",
	codeUnknownTag:                  "the forum has no such tag any more; look at its tags again",

	discordgo.ErrCodeUnknownGuildScheduledEvent: "there is no such event; it may be over, or somebody has called it off",
	discordgo.ErrCodeUnknownOverwrite:           "%s has no rule for them any more",
}

// refusals has the sentences for codes with a single meaning.
var refusals = map[int]string{
	discordgo.ErrCodeUnknownEmoji:                                             "Discord has no such emoji for me; use a plain emoji such as 👍, or one of this server's own",
	discordgo.ErrCodeMaximumPinsReached:                                       "%s has as many pinned messages as Discord allows; unpin one first",
	discordgo.ErrCodeMaximumGuildRolesReached:                                 "the server has as many roles as Discord allows, which is 250; delete some first",
	discordgo.ErrCodeMaximumNumberOfBansForNonGuildMembersHaveBeenExceeded:    "the server has as many bans of people who are not on it as Discord allows; lift some first",
	discordgo.ErrCodeInvalidRole:                                              "this role cannot be given, taken or deleted: it belongs to a bot or another integration, or to everybody",
	discordgo.ErrCodeTooManyReactions:                                         "the message has as many different reactions as Discord allows; remove one first",
	discordgo.ErrCodeReactionBlocked:                                          "somebody there has blocked me, so I cannot react",
	discordgo.ErrCodeMessageAlreadyCrossposted:                                "this message was published before; there is nothing left to do",
	discordgo.ErrCodeCannotEditFromAnotherUser:                                "I can only edit my own messages",
	discordgo.ErrCodeCannotSendMessagesToThisUser:                             "this person takes no direct messages from me; they can allow it in the server's privacy settings",
	discordgo.ErrCodeMessageProvidedTooOldForBulkDelete:                       "messages older than 14 days cannot be deleted together; delete them one by one",
	discordgo.ErrCodeCannotExecuteActionOnThisChannelType:                     "%s is not the kind of channel where this is possible",
	discordgo.ErrCodeCannotExecuteActionOnSystemMessage:                       "this message is one of Discord's own, where this is not possible",
	discordgo.ErrCodeInvalidMessageType:                                       "this message is one of Discord's own, where this is not possible",
	discordgo.ErrCodeCanOnlyPinMessageToOriginatingChannel:                    "a message can only be pinned in its own channel",
	discordgo.ErrCodeThreadAlreadyCreatedForThisMessage:                       "there is a thread on this message already; write there",
	discordgo.ErrCodeThreadIsLocked:                                           "%s is locked; a moderator can unlock it, or an admin give my role *Manage Threads* under " + InItsRole,
	discordgo.ErrCodeMaximumNumberOfActiveThreadsReached:                      "the server has as many active threads as Discord allows; archive some first",
	discordgo.ErrCodeRequestEntityTooLarge:                                    "the files are too large for Discord; send smaller ones or a link",
	discordgo.ErrCodeFileUploadedExceedsTheMaximumSize:                        "the files are too large for Discord; send smaller ones or a link",
	discordgo.ErrCodeCannotReplyWithoutPermissionToReadMessageHistory:         "to reply, I need *Read Message History* in %s; an admin can give it to my role under " + InItsRole,
	discordgo.ErrCodeMaximumNumberOfEditsToMessagesOlderThanOneHourReached:    "Discord allows no more edits of old messages for now; send a new one",
	discordgo.ErrCodeMaximumNumberOfActiveAnnouncementThreadsReached:          "the server has as many active threads in announcement channels as Discord allows; archive some first",
	discordgo.ErrCodeMaximumNumberOfGuildChannelsReached:                      "the server has as many channels as Discord allows, which is 500; delete some first",
	discordgo.ErrCodeMaximumNumberOfTagsInForumChannelHasBeenReached:          "%s has as many tags as Discord allows; delete one first",
	discordgo.ErrCodeMaximumNumberOfPinnedThreadsInForumChannelHasBeenReached: "%s cannot be pinned as long as another post of its forum is; unpin that one first",
	discordgo.ErrCodeTagNamesMustBeUnique:                                     "two tags of a forum cannot have the same name; choose another",
	discordgo.ErrCodeCannotDeleteAChannelRequiredForCommunityGuilds:           "the server needs %s for its rules or its updates; choose another channel for that under Server Settings → Community first",
	discordgo.ErrCodeMaximumNumberOfInvitesReached:                            "the server has as many invites as Discord allows; delete some under Server Settings → Invites",
	discordgo.ErrCodeMaximumNumberOfUncompletedGuildScheduledEventsReached:    "the server has as many events as Discord allows, which is 100; delete some first",
	discordgo.ErrCodeCannotUpdateAFinishedEvent:                               "the event is over, so it cannot be changed; make a new one",
	codeBadName:     "Discord does not allow such words in a name; choose another",
	codeNoOpenTags:  "a post in %s needs a tag, and all tags there are for moderators; an admin can give my role *Manage Threads* under " + InItsRole,
	codeTagRequired: "a post in %s needs a tag; give at least one",
	codeTwoFactor:   "this server wants two-factor login of its moderators, and the account that owns me has none; switch it on there, under User Settings → My Account",
	codeAutoMod:     "the server's AutoMod does not let this text pass; change the text, or the rule under Server Settings → AutoMod",
}

// formRefusals has the sentences for errors of a single field.
var formRefusals = map[string]string{
	"CHANNEL_PARENT_MAX_CHANNELS":         "the category has as many channels as Discord allows, which is 50; choose another one, or move some channels out of it",
	"GUILD_SCHEDULED_EVENT_SCHEDULE_PAST": "an event cannot begin in the past; choose a later start",
	"CHANNEL_PARENT_INVALID":              "there is no such category; it may have been deleted",
}

// refusal turns a failed response into an error.
func (c *Client) refusal(q Request, a answer) *Error {
	e := &Error{Status: a.status, cause: a.err, unclear: a.unclear()}
	var said struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
	}
	if a.word == refused && json.Unmarshal(a.body, &said) == nil {
		e.Code = said.Code
	}
	where := c.guide.Describe(q.Channel)
	switch {
	case a.limited():
		e.limit(a)
	case a.unclear():
		e.text = silence(q, a)
	case a.refusesToken(q):
		return tokenRefused()
	case e.Code == discordgo.ErrCodePerformedOperationOnArchivedThread:
		e.kind, e.text = ErrArchived, fmt.Sprintf("%s is archived; unarchive the thread first", where)
	case gone[e.Code] != "":
		e.kind, e.text = ErrNotFound, at(gone[e.Code], where)
	case refusals[e.Code] != "":
		e.text = at(refusals[e.Code], where)
	case e.Code == discordgo.ErrCodeMissingPermissions || e.Code == discordgo.ErrCodeMissingAccess:
		e.text = c.guide.Forbidden(q)
	case a.status == http.StatusNotFound:
		e.kind, e.text = ErrNotFound, "Discord knows no such thing"+detail(said.Message, nil)
	default:
		e.text = fmt.Sprintf("Discord refused that (status %d)", a.status) + detail(strings.TrimPrefix(said.Message, strconv.Itoa(a.status)+": "), said.Errors)
		for code, sentence := range formRefusals {
			if bytes.Contains(said.Errors, []byte(`"`+code+`"`)) {
				e.text = sentence
			}
		}
	}
	return e
}

// tokenRefused returns the error of all requests after Discord has refused the token.
func tokenRefused() *Error {
	return &Error{Status: http.StatusUnauthorized, token: true,
		text: "Discord refused the token; copy a fresh one from https://discord.com/developers/applications (your application → Bot → Reset Token) into DISCORD_TOKEN, and start the bot again"}
}

// at puts the place into a sentence that has room for one.
func at(sentence, where string) string { return strings.ReplaceAll(sentence, "%s", where) }

// limit sets what a 429 says.
func (e *Error) limit(a answer) {
	wait, _, stated := retryAfter(a)
	if long := (tooLong{}); errors.As(a.err, &long) {
		wait, stated = long.wait, true
	}
	if stated {
		e.after = wait
	}
	e.text = "Discord wants me to slow down; try again in " + chat.Lasting(max(wait, time.Second).Round(time.Second))
}

// silence returns the sentence for a request without a response. The error of the network is for the
// log: it may hold addresses.
func silence(q Request, a answer) string {
	why := fmt.Sprintf("status %d", a.status)
	switch {
	case errors.Is(a.err, context.DeadlineExceeded):
		why = "no answer in time"
	case a.err != nil:
		why = "the connection failed"
	case a.status < 500:
		why = fmt.Sprintf("something else answered, with status %d", a.status)
	}
	if q.Method == http.MethodPost {
		// A nonce lets this request be retried, but not a new one for the same thing.
		return fmt.Sprintf("Discord did not say whether it was done (%s); look before trying again", why)
	}
	return fmt.Sprintf("Discord did not answer (%s); try again in a minute, or look at https://discordstatus.com", why)
}

// Where people grant the bot a permission, in the words of Discord's settings.
const (
	InItsRole    = "Server Settings → Roles"
	InTheChannel = "Edit Channel → Permissions"
)

// detail returns Discord's own explanation, with the fields that it names.
func detail(message string, fields json.RawMessage) string {
	parts := complaints(fields)
	if message != "" {
		parts = slices.Insert(parts, 0, message)
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + chat.Clip(strings.Join(parts, "; "), 300)
}

// complaints returns the messages in Discord's tree of field errors, in a stable order.
func complaints(tree json.RawMessage) []string {
	var list []struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(tree, &list) == nil {
		var found []string
		for _, e := range list {
			found = append(found, e.Message)
		}
		return found
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(tree, &fields) != nil {
		return nil
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, m := range complaints(fields[name]) {
			if name != "_errors" {
				m = name + ": " + m
			}
			found = append(found, m)
		}
	}
	return found
}
