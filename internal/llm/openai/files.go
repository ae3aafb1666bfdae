package openai

import (
	"encoding/json"
	"net/url"
	"strings"
)

// The library knows no files in messages, only images. So a file travels through it as an image whose address
// begins with a mark and the file's name, and becomes a file just before the request is sent.
const fileMarker = "discoclaw-file:"

func fileMark(name string) string {
	if name == "" {
		return ""
	}
	return fileMarker + url.PathEscape(name) + "|"
}

// withFiles puts files in their proper form into the body of a request.
func withFiles(body []byte) ([]byte, error) {
	var req map[string]json.RawMessage
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	var messages []map[string]any
	if err := json.Unmarshal(req["messages"], &messages); err != nil {
		return nil, err
	}
	for _, m := range messages {
		parts, _ := m["content"].([]any)
		for i, p := range parts {
			if file := asFile(p); file != nil {
				parts[i] = file
			}
		}
	}
	text, err := json.Marshal(messages)
	if err != nil {
		return nil, err
	}
	req["messages"] = text
	return json.Marshal(req)
}

// asFile returns the file that travels as an image, or nil.
func asFile(part any) map[string]any {
	fields, _ := part.(map[string]any)
	image, _ := fields["image_url"].(map[string]any)
	address, _ := image["url"].(string)
	rest, ok := strings.CutPrefix(address, fileMarker)
	if !ok {
		return nil
	}
	escaped, data, _ := strings.Cut(rest, "|")
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return nil
	}
	return map[string]any{"type": "file", "file": map[string]any{"filename": name, "file_data": data}}
}
