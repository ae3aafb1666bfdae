package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// A fault is the server's description of an error:
// {"error":{"code":429,"message":"…","status":"RESOURCE_EXHAUSTED","details":[{"@type":"…","reason":"…","retryDelay":"20s"}]}}.
type fault struct {
	Code            int
	Message, Status string
	Details         []struct{ Reason, RetryDelay string }
}

// parseFault parses a fault, or the first of a list of them. It returns false if the text is not about an error.
func parseFault(text []byte) (fault, bool) {
	type body struct{ Error *fault }
	all := make([]body, 1)
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &all)
	} else {
		err = json.Unmarshal(text, &all[0])
	}
	if err != nil || len(all) == 0 || all[0].Error == nil {
		return fault{}, false
	}
	return *all[0].Error, true
}

// refusal makes an error of the body of a response that is no answer.
func refusal(d *door.Door, status int, body []byte) *llm.Error {
	f, _ := parseFault(body)
	return f.err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *door.Door, status int) *llm.Error {
	e := d.Fault(f.classify(cmp.Or(status, f.Code)), status, f.Status, f.reason(), f.Message)
	for _, detail := range f.Details {
		if wait, err := time.ParseDuration(detail.RetryDelay); err == nil {
			e.RetryAfter = door.Span(float64(wait), 1)
		}
	}
	return e
}

func (f fault) reason() string {
	for _, detail := range f.Details {
		if detail.Reason != "" {
			return detail.Reason
		}
	}
	return ""
}

// classify goes by the reason; by the message where one status stands for several errors; then by the status.
func (f fault) classify(status int) llm.Kind {
	switch f.reason() {
	case "API_KEY_INVALID", "API_KEY_EXPIRED":
		return llm.Unauthorized
	case "BILLING_DISABLED":
		return llm.NoCredit
	}
	if kind := f.byMessage(); kind != "" {
		return kind
	}
	switch f.Status {
	case "UNAUTHENTICATED":
		return llm.Unauthorized
	case "PERMISSION_DENIED":
		return llm.Forbidden
	case "RESOURCE_EXHAUSTED":
		return llm.RateLimited
	case "INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED":
		return llm.Unavailable
	}
	if status == 0 {
		return llm.Broken
	}
	return door.ByStatus(status)
}

// byMessage returns a kind that only the message tells, or none.
func (f fault) byMessage() llm.Kind {
	says := func(phrases ...string) bool { return door.Mentions(f.Message, phrases...) }
	switch f.Status {
	case "INVALID_ARGUMENT":
		switch {
		case says("api key not valid", "api key expired"):
			return llm.Unauthorized
		case says("token count", "payload size exceeds"):
			return llm.TooLong
		case says("model name"):
			return llm.NoSuchModel
		}
	case "PERMISSION_DENIED":
		if says("unregistered callers", "reported as leaked") { // there is no key, or one that is known to others
			return llm.Unauthorized
		}
	case "FAILED_PRECONDITION":
		switch {
		case says("billing"):
			return llm.NoCredit
		case says("location"):
			return llm.Forbidden
		}
	case "RESOURCE_EXHAUSTED":
		// "Check your plan and billing details" stands in every error about limits.
		if says("credits are depleted", "spending cap", "spend cap") {
			return llm.NoCredit
		}
	case "NOT_FOUND":
		if says("model") {
			return llm.NoSuchModel
		}
	}
	return ""
}
