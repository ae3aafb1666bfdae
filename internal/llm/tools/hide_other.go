//go:build !linux

package tools

import "errors"

// HideEnvironment returns an error: this system is not known to keep a process from reading the environment of another one in the same
// account.
func HideEnvironment() error {
	return errors.New("commands of the model may be able to read the bot's keys on this system; Linux can hide them")
}
