package openapi

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// maxContent is what a bot may write in one message, in UTF-16 units. The document
// allows the 4000 that some people have.
const maxContent = 2000

// checkRules looks for what Discord refuses, or what can hurt, although the
// document allows it.
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

// empty says whether nothing in a message but its text could be seen.
func empty(message object) bool {
	for _, part := range []string{"embeds", "components", "sticker_ids"} {
		if list, _ := message[part].([]any); len(list) > 0 {
			return false
		}
	}
	return message["poll"] == nil && message["shared_client_theme"] == nil
}
