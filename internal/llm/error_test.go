package llm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/llm"
)

func TestErrorsSayWhatHappenedAndWhatToDo(t *testing.T) {
	for _, tt := range []struct {
		err  llm.Error
		want string
	}{
		{llm.Error{Kind: llm.Unauthorized, Runtime: "openai", Remedy: "check OPENAI_API_KEY"}, "openai did not accept the key; check OPENAI_API_KEY"},
		{llm.Error{Kind: llm.Unauthorized}, "the model did not accept the key; check the key in the settings"},
		{llm.Error{Kind: llm.NoCredit, Runtime: "openai"}, "the account at openai has no credit left; add some, then try again"},
		{llm.Error{Kind: llm.RateLimited, Runtime: "openai"}, "openai takes no more requests for now; try again a little later"},
		{llm.Error{Kind: llm.RateLimited, RetryAfter: 19500 * time.Millisecond}, "the model takes no more requests for now; try again in 20 seconds"},
		{llm.Error{Kind: llm.RateLimited, RetryAfter: time.Millisecond}, "the model takes no more requests for now; try again in 1 second"},
		{llm.Error{Kind: llm.RateLimited, RetryAfter: 90 * time.Second}, "the model takes no more requests for now; try again in 90 seconds"},
		{llm.Error{Kind: llm.RateLimited, RetryAfter: 91 * time.Second}, "the model takes no more requests for now; try again in 2 minutes"},
		{llm.Error{Kind: llm.RateLimited, RetryAfter: 3 * time.Hour}, "the model takes no more requests for now; try again in 3 hours"},
		{llm.Error{Kind: llm.TooLong}, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{llm.Error{Kind: llm.NoSuchModel, Runtime: "openai"}, "openai does not have the model that was asked for; choose another one"},
		{llm.Error{Kind: llm.Blocked}, "the model declined to answer this; put the request differently"},
		{llm.Error{Kind: llm.Cut}, "the answer reached the length limit of the model and was cut off; ask for less at a time"},
		{llm.Error{Kind: llm.Timeout, Waited: 30 * time.Minute}, "there was no complete answer within 30 minutes; ask for less at a time"},
		{llm.Error{Kind: llm.Stalled, Runtime: "openai", Waited: time.Minute}, "openai sent nothing for 60 seconds; try again"},
		{llm.Error{Kind: llm.Stalled}, "the model sent nothing; try again"},
		{llm.Error{Kind: llm.Unavailable, Runtime: "openai", Status: 503}, "openai is not available (status 503); try again a little later"},
		{llm.Error{Kind: llm.Broken}, "the answer from the model broke off; try again"},
		{llm.Error{Kind: llm.Forbidden, Runtime: "openai", Host: "models.example:8080", Status: 403}, "models.example:8080 does not allow this with the key (status 403); check what its account may use"},
		{llm.Error{Kind: llm.Refused, Runtime: "openai", Status: 400}, "openai refused the request (status 400); the log has the details"},
		{llm.Error{}, "the model failed; the log has the details"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%+v reads\n%q, want\n%q", tt.err, got, tt.want)
		}
	}
}

// TestMembersReadWhatTheyCanDo: no vendor, no variable, nothing that only an operator could mend.
func TestMembersReadWhatTheyCanDo(t *testing.T) {
	for _, kind := range []llm.Kind{
		llm.Unauthorized, llm.Forbidden, llm.NoCredit, llm.RateLimited, llm.TooLong, llm.NoSuchModel, llm.Blocked, llm.Cut, llm.Timeout, llm.Stalled,
		llm.Unavailable, llm.Broken, llm.NoFolder, llm.Refused, "",
	} {
		err := &llm.Error{Kind: kind, Runtime: "openai", Host: "models.example", Status: 418, Waited: time.Minute, Remedy: "set OPENAI_MODEL"}
		got := err.ForMembers()
		for _, word := range []string{"openai", "models.example", "418", "OPENAI_MODEL", "key", "settings"} {
			if strings.Contains(got, word) {
				t.Errorf("%s: members read %q, with %q", kind, got, word)
			}
		}
	}
	if got, want := (&llm.Error{Kind: llm.RateLimited, RetryAfter: time.Minute}).ForMembers(), "my language model is busy; try again in 60 seconds"; got != want {
		t.Errorf("members read %q, want %q", got, want)
	}
}

func TestTheCauseIsForTheLogOnly(t *testing.T) {
	cause := errors.New("upstream at /srv/models said no")
	err := &llm.Error{Kind: llm.RateLimited, Runtime: "openai", Status: 429, RetryAfter: time.Second, Err: cause}
	if strings.Contains(err.Error(), "upstream") {
		t.Errorf("people would read %q", err)
	}
	if got, want := err.Details(), "openai: rate limited, status 429, retry after 1s: upstream at /srv/models said no"; got != want {
		t.Errorf("the log would read %q, want %q", got, want)
	}
	if !errors.Is(fmt.Errorf("summary: %w", err), cause) {
		t.Error("the cause cannot be found")
	}
	if got, want := (&llm.Error{Kind: llm.Stalled, Waited: time.Minute}).Details(), "stalled, waited 1m0s"; got != want {
		t.Errorf("without a cause the log would read %q, want %q", got, want)
	}
}

func TestKeysAreRedacted(t *testing.T) {
	for _, text := range []string{
		"Incorrect API key provided: sk-proj-CANARY1234567890.",
		"Incorrect API key provided: sk-CANARY*********wxyz",
		"Incorrect API key provided: sk-1234…CANARY",
		"header Authorization: Bearer CANARY",
		"header Authorization: Basic CANARY=",
		`{"api_key": "CANARY"}`,
		`{'api-key':'CANARY'}`,
		"GET /v1/models?key=CANARY&alt=sse",
		"password=CANARY",
		`Post "https://me:CANARY@example.com/v1": EOF`,
		`Post "https://CANARY@example.com/v1": EOF`,
		"gsk_CANARY1234", "hf_CANARY1234", "xai-CANARY1234", "AIzaSyCANARY12345", "eyJhbGciOi.CANARY.abc",
	} {
		err := &llm.Error{Kind: llm.Refused, Remedy: text, Err: errors.New(text)}
		for _, got := range []string{err.Error(), err.Details()} {
			if strings.Contains(got, "CANARY") {
				t.Errorf("%q can be read in %q", text, got)
			}
		}
	}
}

func TestPlainTextIsNotRedacted(t *testing.T) {
	for _, text := range []string{
		"check OPENAI_API_KEY", "dial tcp 127.0.0.1:11434: connect: connection refused", "keyboard: none",
		"see https://example.com/docs@latest", "the key is wrong", "task-oriented", "the monkey-see-monkey-do model",
	} {
		if got := (&llm.Error{Err: errors.New(text)}).Details(); got != "failed: "+text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
