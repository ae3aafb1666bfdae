package llmtest

import (
	"fmt"
	"net/http"
	"strings"

	"discoclaw/internal/llm"
)

// Text is a good answer, in the given pieces. A token is a word.
func Text(pieces ...string) Answer {
	return func(x *Exchange) {
		say(x, pieces)
		x.Finish("stop")
		x.Usage(llm.Usage{Input: words(x.Request), Output: len(strings.Fields(strings.Join(pieces, "")))})
		x.Done()
	}
}

func say(x *Exchange, pieces []string) {
	for _, p := range pieces {
		x.Say(p)
	}
}

func words(r Request) int {
	n := 0
	for _, m := range r.Messages {
		n += len(strings.Fields(m.Content))
	}
	return n
}

// Cut is an answer that reaches the limit of its length.
func Cut(pieces ...string) Answer { return endingWith("length", pieces) }

func endingWith(reason string, pieces []string) Answer {
	return func(x *Exchange) {
		say(x, pieces)
		x.Finish(reason)
		x.Done()
	}
}

// Whole is a good answer to a request that did not ask for a stream.
func Whole(text string) Answer {
	return func(x *Exchange) {
		in, out := words(x.Request), len(strings.Fields(text))
		x.Write(http.StatusOK, "application/json", encode(map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": x.Request.Model,
			"choices": []any{map[string]any{
				"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text, "refusal": nil},
			}},
			"usage": map[string]int{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
		}))
	}
}

// Unauthorized refuses the key, and quotes it.
func Unauthorized() Answer {
	return func(x *Exchange) {
		x.Fail(http.StatusUnauthorized, Fault{
			Type: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided: " + x.Request.Key,
		})
	}
}

// NoSuchModel refuses the model as unknown.
func NoSuchModel() Answer {
	return func(x *Exchange) {
		x.Fail(http.StatusNotFound, Fault{
			Type: "invalid_request_error", Code: "model_not_found", Message: fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", x.Request.Model),
		})
	}
}

// ServerError fails with a status of the server.
func ServerError(status int) Answer {
	return failing(status, Fault{Type: "server_error", Message: "The server had an error while processing your request."})
}

func failing(status int, f Fault) Answer {
	return func(x *Exchange) { x.Fail(status, f) }
}

// HTML responds like a server that is not a model's.
func HTML(status int) Answer {
	return func(x *Exchange) {
		x.Write(status, "text/html; charset=utf-8", "<!doctype html>\n<html><body>Welcome!</body></html>\n")
	}
}

// Stall sends a part of an answer and then nothing.
func Stall(pieces ...string) Answer {
	return func(x *Exchange) {
		say(x, pieces)
		x.Hang()
	}
}

// Silent does not even begin to respond.
func Silent() Answer { return func(x *Exchange) { x.Hang() } }

// Die breaks the connection after a part of an answer, or without any response.
func Die(pieces ...string) Answer {
	return func(x *Exchange) {
		say(x, pieces)
		x.Die()
	}
}
