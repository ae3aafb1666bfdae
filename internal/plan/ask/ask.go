// Package ask puts the questions of plans to models: one question, one answer, and a second try if the first came to nothing.
package ask

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// A Question is put to the model of a role.
type Question struct {
	Role   roles.Role
	System string
	Text   string
	// Folder is where the model's tools work: a project, or the worktree of a plan. Level is what they may do there.
	Folder string
	Level  llm.ToolLevel
}

// A Model answers questions. Its errors are those of an [llm.Runtime].
type Model func(ctx context.Context, q Question) (answer string, err error)

// A Malformed error means that a model answered twice, and both answers were unusable.
type Malformed struct{ Err error }

func (e *Malformed) Error() string { return e.Err.Error() }

func (e *Malformed) Unwrap() error { return e.Err }

// Checked returns an answer that passes a check. It asks a second time, with the reason, if the first answer does not
// pass, and also if it broke off or stalled. Other errors, and those of the second time, are final.
func (m Model) Checked(ctx context.Context, q Question, check func(answer string) error) (string, error) {
	answer, err := m(ctx, q)
	again := q
	if err != nil {
		if !isPassing(err) || ctx.Err() != nil {
			return "", err
		}
	} else {
		flaw := check(answer)
		if flaw == nil {
			return answer, nil
		}
		again.Text = fmt.Sprintf("%s\n\nYour last answer to this could not be used: %v. Answer again, in the form that was asked for.", q.Text, flaw)
	}
	if answer, err = m(ctx, again); err != nil {
		return "", err
	}
	if flaw := check(answer); flaw != nil {
		return "", &Malformed{flaw}
	}
	return answer, nil
}

// isPassing reports whether the same question may get an answer a moment later.
func isPassing(err error) bool {
	var fault *llm.Error
	if !errors.As(err, &fault) {
		return false
	}
	switch fault.Kind {
	case llm.Stalled, llm.Broken, llm.Unavailable:
		return true
	}
	return false
}
