package rest

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"
)

// What callers tell apart with errors.Is.
var (
	// ErrNotFound means that the channel, message or member is not there, or no
	// longer, or not for the bot to see.
	ErrNotFound = errors.New("not found")
	// ErrArchived means that the thread is archived, so that nothing in it can be
	// changed.
	ErrArchived = errors.New("archived")
)

// An Error says in one sentence what Discord did not do, why, and what helps.
type Error struct {
	Status int // of HTTP; 0 if Discord did not answer
	Code   int // Discord's own; 0 if it gave none

	text  string
	kind  error // ErrNotFound, ErrArchived or nil
	cause error // why there was no answer, if there was none
}

func (e *Error) Error() string { return e.text }

// Is says whether e is of the kind that target names.
func (e *Error) Is(target error) bool { return e.kind != nil && e.kind == target }

// Unwrap returns why there was no answer.
func (e *Error) Unwrap() error { return e.cause }

// Forbidden says that the bot lacks a permission.
func (e *Error) Forbidden() bool {
	return e.Code == discordgo.ErrCodeMissingPermissions || e.Code == discordgo.ErrCodeMissingAccess
}

// Permanent says that asking again will get the same answer.
func (e *Error) Permanent() bool {
	return e.kind == ErrNotFound || e.Status >= 400 && e.Status < 500 && e.Status != http.StatusTooManyRequests
}

// Gone says that a message or its channel was deleted. Of what the bot may not see, which is
// not found either, nobody knows that.
func (e *Error) Gone() bool {
	return e.Code == discordgo.ErrCodeUnknownMessage || e.Code == discordgo.ErrCodeUnknownChannel
}

// Archived says that nothing can be changed in the thread.
func (e *Error) Archived() bool { return e.kind == ErrArchived }

// Refused is the error for what Discord would not do, or did not: the status may be 0.
func Refused(status int, text string) *Error { return &Error{Status: status, text: text} }

// Explained is the same refusal in other words, for who knows more about it.
func (e *Error) Explained(text string) *Error {
	explained := *e
	explained.text = text
	return &explained
}

// NotFound is the error for something that is known not to be there.
func NotFound(format string, args ...any) *Error {
	return &Error{kind: ErrNotFound, text: fmt.Sprintf(format, args...)}
}
