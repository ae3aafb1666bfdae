package chat

import "errors"

// ErrNotFound means that a channel, message or member does not exist, or is not visible to the bot.
var ErrNotFound = errors.New("not found")

// IsPermanent reports whether Discord has refused a request, so that it was certainly not done and would be refused again.
func IsPermanent(err error) bool {
	var refusal interface{ Permanent() bool }
	return errors.As(err, &refusal) && refusal.Permanent()
}

// IsGone reports whether a request failed because a message or its channel was deleted.
func IsGone(err error) bool {
	var refusal interface{ Gone() bool }
	return errors.As(err, &refusal) && refusal.Gone()
}

// A remedied error is one that an operator of the bot can do something about.
type remedied struct {
	error
	remedy string
}

func (e *remedied) Unwrap() error { return e.error }

// WithRemedy adds to an error what an operator can do about it, such as a variable to set or a command
// to run. It is no part of the error's text, which every member may read: see ForOperators.
func WithRemedy(err error, remedy string) error { return &remedied{err, remedy} }

// ForOperators returns the error with its remedy in the text: "the delay is too long; raise …". Errors
// without one stay as they are. It is for operators and for the log.
func ForOperators(err error) error {
	found := (*remedied)(nil)
	if !errors.As(err, &found) {
		return err
	}
	return &toldRemedy{err, found.remedy}
}

// A toldRemedy is an error whose text has the remedy.
type toldRemedy struct {
	error
	remedy string
}

func (e *toldRemedy) Error() string { return e.error.Error() + "; " + e.remedy }
func (e *toldRemedy) Unwrap() error { return e.error }
