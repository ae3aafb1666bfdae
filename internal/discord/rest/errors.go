package rest

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Kinds of errors, for errors.Is.
var (
	ErrNotFound = chat.ErrNotFound
	// ErrArchived means that the thread is archived, so that nothing in it can be
	// changed.
	ErrArchived = errors.New("archived")
)

// An Error says in one sentence what Discord did not do, why, and what helps.
type Error struct {
	Status int // of HTTP; 0 without a response
	Code   int // Discord's own; 0 without one

	text    string
	unclear bool  // Discord did not say that it refused the request
	token   bool  // Discord refused the bot's token
	kind    error // ErrNotFound, ErrArchived or nil
	cause   error // why there was no response, if there was none
	after   time.Duration
}

func (e *Error) Error() string { return e.text }

// Is reports whether e is of the kind target.
func (e *Error) Is(target error) bool { return e.kind != nil && e.kind == target }

// Unwrap returns why there was no response.
func (e *Error) Unwrap() error { return e.cause }

// Forbidden reports whether the bot lacks a permission.
func (e *Error) Forbidden() bool {
	return e.Code == discordgo.ErrCodeMissingPermissions || e.Code == discordgo.ErrCodeMissingAccess
}

// Permanent reports whether a retry would be refused as well. What failed because of the token is put off: it can be
// done after a restart with another one.
func (e *Error) Permanent() bool {
	if e.unclear || e.token || e.Status == http.StatusTooManyRequests {
		return false
	}
	return e.kind == ErrNotFound || e.Status >= 400 && e.Status < 500
}

// RetryAfter returns how long to wait after a rate limit. It is 0 after any other error, and if that is unknown.
func (e *Error) RetryAfter() time.Duration { return e.after }

// TokenRefused reports whether Discord has refused the bot's token. Nothing more is sent then.
func (e *Error) TokenRefused() bool { return e.token }

// Unclear reports whether the request may have been carried out.
func (e *Error) Unclear() bool { return e.unclear }

// Gone reports whether a message or its channel was deleted. That is unknown of one that the bot may
// not see, which is not found either.
func (e *Error) Gone() bool {
	return e.Code == discordgo.ErrCodeUnknownMessage || e.Code == discordgo.ErrCodeUnknownChannel
}

// Archived reports whether the thread is archived.
func (e *Error) Archived() bool { return e.kind == ErrArchived }

// Refused returns the error of a request that Discord refused, or would refuse: the status may be 0.
func Refused(status int, text string) *Error { return &Error{Status: status, text: text} }

// Explained returns the same refusal with another text, for callers that know more about it.
func (e *Error) Explained(text string) *Error {
	explained := *e
	explained.text = text
	return &explained
}

// NotFound returns an ErrNotFound with a text.
func NotFound(format string, args ...any) *Error {
	return &Error{kind: ErrNotFound, text: fmt.Sprintf(format, args...)}
}
