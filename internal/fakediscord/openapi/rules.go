package openapi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// maxContent is the limit of a bot's message, in UTF-16 units. The document has the 4000
// of some members.
const maxContent = 2000

// checkRules looks for what Discord refuses, or what can do harm, although the document
// allows it.
func checkRules(op *operation, value any, files int) error {
	message, creates := messageIn(op, value)
	if message == nil {
		return nil
	}
	content, _ := message["content"].(string)
	if n := len(utf16.Encode([]rune(content))); n > maxContent {
		return fmt.Errorf("content has %d characters, %d more than Discord takes", n, n-maxContent)
	}
	if creates && files == 0 && strings.TrimSpace(content) == "" && empty(message) {
		return errors.New("the message is empty")
	}
	if content != "" && message["allowed_mentions"] == nil {
		return errors.New(`allowed_mentions is missing: without it whatever the text mentions is notified; send {"parse":[]}`)
	}
	return checkParts(message)
}

// parts are the fields of objects inside a message. The document does not refuse others
// there, and Discord ignores them, so that a typo would go unnoticed.
var parts = map[string][]string{
	"allowed_mentions":  {"parse", "users", "roles", "replied_user"},
	"message_reference": {"type", "message_id", "channel_id", "guild_id", "fail_if_not_exists"},
	"components":        {"type", "id", "custom_id", "style", "label", "emoji", "url", "disabled", "components", "component", "required", "max_length"}, // the last three in forms
}

func checkParts(message object) error {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if err := checkMembers(name, message[name], parts[name]); err != nil {
			return err
		}
	}
	return nil
}

// checkMembers looks at an object, or at the objects of a list and the lists in them.
func checkMembers(name string, value any, known []string) error {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := checkMembers(name, item, known); err != nil {
				return err
			}
		}
	case object:
		for member, inner := range v {
			if !slices.Contains(known, member) {
				return fmt.Errorf("%s has a member %q, which Discord does not know", name, member)
			}
			if member == "components" || member == "component" {
				if err := checkMembers(name, inner, known); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// messageIn finds the message inside a request that creates or edits one.
func messageIn(op *operation, value any) (message object, creates bool) {
	root, _ := value.(object)
	switch op.method + " " + op.template {
	case "POST /channels/{channel_id}/messages", "POST /webhooks/{webhook_id}/{webhook_token}":
		return root, true
	case "PATCH /channels/{channel_id}/messages/{message_id}",
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original":
		return root, false
	case "POST /channels/{channel_id}/threads":
		message, _ = root["message"].(object)
		return message, true
	case "POST /interactions/{interaction_id}/{interaction_token}/callback":
		message, _ = root["data"].(object)
		return message, fmt.Sprint(root["type"]) == "4"
	default:
		return nil, false
	}
}

// empty reports whether a message has nothing visible but its text.
func empty(message object) bool {
	for _, part := range []string{"embeds", "components", "sticker_ids"} {
		if list, _ := message[part].([]any); len(list) > 0 {
			return false
		}
	}
	return message["poll"] == nil && message["shared_client_theme"] == nil
}
