//go:build unix

package command

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"discoclaw/internal/llm"
)

// The voices say what the documentation of each program shows.

func line(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

type object = map[string]any

// parse reads a prompt back.
func parse(text string, images []llm.Image) llm.Request {
	var req llm.Request
	mark := regexp.MustCompile(`lines that begin with (=+),`).FindStringSubmatch(text)[1]
	for _, part := range strings.Split(text, "\n"+mark+" ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		body = strings.TrimSpace(body)
		if name == "instructions" {
			req.System = body
			continue
		}
		m := llm.Message{Role: llm.Role(name)}
		var kept []string
		for _, l := range strings.Split(body, "\n") {
			if found := attachment.FindStringSubmatch(l); found != nil {
				n, _ := strconv.Atoi(found[1])
				m.Images = append(m.Images, images[n-1])
				continue
			}
			kept = append(kept, l)
		}
		m.Text = strings.Join(kept, "\n")
		req.Messages = append(req.Messages, m)
	}
	return req
}

var attachment = regexp.MustCompile(`^\(Image (\d+) is attached here\.\)$`)

func modelOf(h hello) string {
	for _, a := range h.Args {
		if model, ok := strings.CutPrefix(a, "--model="); ok {
			return model
		}
	}
	return ""
}

type claudeVoice struct{}

func (*claudeVoice) kind() Kind { return Claude }

func (*claudeVoice) asked(h hello) llm.Request {
	var in claudeMessage
	if err := json.Unmarshal([]byte(h.Stdin), &in); err != nil {
		panic(err)
	}
	var images []llm.Image
	for _, b := range in.Message.Content[1:] {
		images = append(images, llm.Image{Type: b.Source.Media, Data: b.Source.Data})
	}
	req := parse(in.Message.Content[0].Text, images)
	req.Model = modelOf(h)
	return req
}

func claudeStream(event object) string {
	return line(object{"type": "stream_event", "event": event, "session_id": "s", "parent_tool_use_id": nil, "uuid": "u"})
}

func (*claudeVoice) say(text string) []string {
	return []string{claudeStream(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})}
}

func (*claudeVoice) message(string) []string { return nil }

func (*claudeVoice) think(text string) []string {
	return []string{claudeStream(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": text}})}
}

func (v *claudeVoice) done(u llm.Usage) []string { return []string{v.result(false, "", u)} }

func (*claudeVoice) result(failed bool, text string, u llm.Usage) string {
	return line(object{
		"type": "result", "subtype": "success", "is_error": failed, "result": text, "session_id": "s", "num_turns": 1, "duration_ms": 10, "total_cost_usd": 0,
		"usage": object{"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": 0, "output_tokens": u.Output},
	})
}

func (v *claudeVoice) fail(e llm.Error, key string) []string {
	stop := map[llm.Kind]string{llm.Cut: "max_tokens", llm.Blocked: "refusal"}[e.Kind]
	if stop != "" {
		return []string{
			claudeStream(object{"type": "message_delta", "delta": object{"stop_reason": stop}}),
			v.result(false, "Once upon", llm.Usage{}),
		}
	}
	text := map[llm.Kind]string{
		llm.Unauthorized: "Invalid API key · Please run /login (" + key + ")",
		llm.NoCredit:     "Credit balance is too low",
		llm.RateLimited:  `API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`,
		llm.TooLong:      "Prompt is too long",
		llm.NoSuchModel:  "There's an issue with the selected model (model-1). It may not exist or you may not have access to it.",
		llm.Unavailable:  `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		llm.Refused:      `API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages: no"}}`,
	}[e.Kind]
	return []string{
		line(object{"type": "assistant", "message": object{"model": "<synthetic>", "role": "assistant", "content": []object{{"type": "text", "text": text}}}, "parent_tool_use_id": nil}),
		v.result(true, text, llm.Usage{}),
	}
}

func (v *claudeVoice) torn(text string) string {
	whole := v.say(text)[0]
	return whole[:strings.LastIndex(whole, `"}`)-2]
}

type codexVoice struct{}

func (*codexVoice) kind() Kind { return Codex }

func (*codexVoice) asked(h hello) llm.Request {
	var images []llm.Image
	for _, a := range h.Args {
		if file, ok := strings.CutPrefix(a, "--image="); ok {
			images = append(images, llm.Image{Type: "image/" + file[strings.LastIndex(file, ".")+1:], Data: h.Files[a]})
		}
	}
	req := parse(h.Stdin, images)
	req.Model = modelOf(h)
	return req
}

func (*codexVoice) say(string) []string { return nil }

func (*codexVoice) message(text string) []string {
	return []string{line(object{"type": "item.completed", "item": object{"id": "item_9", "type": "agent_message", "text": text}})}
}

func (*codexVoice) think(text string) []string {
	return []string{line(object{"type": "item.completed", "item": object{"id": "item_1", "type": "reasoning", "text": text}})}
}

func (*codexVoice) done(u llm.Usage) []string {
	return []string{line(object{"type": "turn.completed", "usage": object{"input_tokens": u.Input, "cached_input_tokens": u.Cached, "output_tokens": u.Output}})}
}

func (*codexVoice) fail(e llm.Error, key string) []string {
	text := map[llm.Kind]string{
		llm.Unauthorized: "unexpected status 401 Unauthorized: Incorrect API key provided: " + key,
		llm.NoCredit:     `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`,
		llm.RateLimited:  "You've hit your usage limit. Try again later.",
		llm.TooLong:      "Codex ran out of room in the model's context window. Start a new conversation.",
		llm.NoSuchModel:  `unexpected status 404 Not Found: {"error":{"code":"model_not_found"}}`,
		llm.Unavailable:  "stream disconnected before completion: exceeded retry limit, last status: 503 Service Unavailable",
		llm.Refused:      `unexpected status 400 Bad Request: {"error":{"type":"invalid_request_error"}}`,
		llm.Cut:          "stream disconnected before completion: Incomplete response returned, reason: max_output_tokens",
		llm.Blocked:      "stream disconnected before completion: Incomplete response returned, reason: content_filter",
	}[e.Kind]
	return []string{
		line(object{"type": "error", "message": "Reconnecting... 1/5 (" + text + ")"}),
		line(object{"type": "turn.failed", "error": object{"message": text}}),
	}
}

func (v *codexVoice) torn(text string) string {
	whole := v.message(text)[0]
	return whole[:strings.LastIndex(whole, "🦞")+2]
}

type geminiVoice struct{}

func (*geminiVoice) kind() Kind { return Gemini }

func (*geminiVoice) asked(h hello) llm.Request {
	req := parse(strings.ReplaceAll(h.Stdin, `\@`, "@"), nil)
	req.Model = modelOf(h)
	return req
}

func (*geminiVoice) say(text string) []string {
	return []string{line(object{"type": "message", "timestamp": "2026-01-01T00:00:00Z", "role": "assistant", "content": text, "delta": true})}
}

func (*geminiVoice) message(string) []string { return nil }

func (*geminiVoice) think(string) []string {
	return []string{line(object{"type": "error", "severity": "warning", "message": "Loop detected"})}
}

func (*geminiVoice) done(u llm.Usage) []string {
	return []string{line(object{"type": "result", "status": "success", "stats": object{"total_tokens": u.Input + u.Output, "input_tokens": u.Input, "cached": u.Cached, "input": u.Input - u.Cached, "output_tokens": u.Output, "duration_ms": 5, "tool_calls": 0}})}
}

func (*geminiVoice) fail(e llm.Error, key string) []string {
	text := map[llm.Kind]string{
		llm.Unauthorized: "API key not valid. Please pass a valid API key: " + key,
		llm.NoCredit:     "Your prepaid credits are depleted.",
		llm.RateLimited:  "You have exhausted your capacity on this model. (RESOURCE_EXHAUSTED)",
		llm.TooLong:      "The input token count (2000000) exceeds the maximum number of tokens allowed.",
		llm.NoSuchModel:  "models/model-1 is not found for API version v1beta",
		llm.Unavailable:  `got status: 503. {"error":{"code":503,"message":"The model is overloaded."}}`,
		llm.Refused:      `{"error":{"code":400,"status":"INVALID_ARGUMENT"}}`,
		llm.Cut:          "Maximum session turns exceeded",
		llm.Blocked:      "finishReason PROHIBITED_CONTENT",
	}[e.Kind]
	return []string{line(object{"type": "result", "status": "error", "error": object{"type": "Error", "message": text}})}
}

func (v *geminiVoice) torn(text string) string {
	whole := v.say(text)[0]
	return whole[:strings.LastIndex(whole, "🦞")+2]
}
