// Package secrets is !secret, with which operators change keys and some other settings in the settings file, in direct messages.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/config"
	"discoclaw/internal/config/envfile"
	"discoclaw/internal/disk/atomicfile"
)

// Subcommands of !secret. Their replies never show a value, not even an invalid one.
const (
	doSet   = "set"
	doUnset = "unset"
	doList  = "list"
	doHelp  = "help"
)

// Options are what !secret works with.
type Options struct {
	File      *envfile.File // the settings file; nil if there is none
	ReadOnly  bool          // there is one, and it is not edited
	Env       config.Env    // that the bot was started with
	Variables func() []config.Variable
	Names     func() []string // of all settings, for what is misspelled
	// Problems returns what would keep the bot from starting in an environment. It may quote values.
	Problems func(config.Env) []string
	Delete   func(context.Context, chat.ChannelID, chat.MessageID) error
	Log      *slog.Logger
}

type command struct{ Options }

// Command returns !secret.
func Command(o Options) commands.Command {
	s := command{o}
	return commands.Command{
		Name: "secret", Args: "set NAME=value | unset NAME | list | help", Summary: "Change a key or another setting of the bot.",
		Where: commands.InDirectMessages, Operator: true, Off: s.off, Run: s.run, Misplaced: s.misplaced,
		Options: []commands.Option{
			{Name: "do", Summary: "What to do.", Required: true, Choices: []string{doSet, doUnset, doList, doHelp}},
			{Name: "setting", Summary: "NAME=value to set it, NAME to unset it."},
		},
	}
}

func (s command) off() string {
	if s.ReadOnly {
		return "edit the settings file; the playground only reads it"
	}
	if s.File == nil {
		return "start the bot with a settings file, --env-file"
	}
	return ""
}

// misplaced handles a !secret that was sent on a server, where others may have read it
// already. It deletes the message without looking at its arguments.
func (s command) misplaced(ctx context.Context, m chat.Message) (string, error) {
	const where = "`!secret` works in direct messages only: write to me there. Nothing was changed."
	if m.ID == "" {
		return where, nil // a slash command, which nobody else sees
	}
	if err := s.Delete(ctx, m.Place.Channel, m.ID); err != nil {
		s.Log.WarnContext(ctx, "message with a secret not deleted", "channel", m.Place.Channel, "message", m.ID, "err", err)
		return "⚠️ " + where + " **Delete your message now**, because I may not. If it held a key, others may have read it: get a new one.", nil
	}
	return "⚠️ " + where + " I have deleted your message. If it held a key, others may have read it: get a new one.", nil
}

// run edits the settings file that the bot was started with.
func (s command) run(_ context.Context, m chat.Message, args string) (string, error) {
	do, rest := args, ""
	if i := strings.IndexAny(args, " \t\n"); i >= 0 {
		do, rest = args[:i], strings.TrimSpace(args[i:])
	}
	var reply string
	var err error
	switch strings.ToLower(do) {
	case doSet:
		reply, err = s.set(rest)
	case doUnset:
		reply, err = s.unset(rest)
	case doList:
		reply, err = s.list(rest)
	case doHelp:
		return s.usage(), nil
	default:
		err = &commands.UsageError{Problem: "It takes `set NAME=value`, `unset NAME`, `list` or `help`. Nothing was changed."}
	}
	if m.ID != "" && args != "" && strings.ToLower(do) != doList {
		reply, err = reminded(reply, err)
	}
	return reply, err
}

// reminded adds a request to delete the message to the reply: a bot cannot delete other people's
// direct messages.
func reminded(reply string, err error) (string, error) {
	const note = "\nPlease delete your message; I cannot do that here."
	if wrong := (*commands.UsageError)(nil); errors.As(err, &wrong) {
		return "", &commands.UsageError{Problem: wrong.Problem + note}
	}
	return reply + note, err
}

const noRoom = "⚠️ My disk is full, so nothing was changed. Make room there, and write it again."

const restartNeeded = "It takes effect after a restart: `!restart`."

func (s command) set(setting string) (string, error) {
	name, value, ok := strings.Cut(setting, "=")
	name, value = strings.TrimSpace(name), unquoted(strings.TrimSpace(value))
	if !ok || !envfile.Name.MatchString(name) || value == "" {
		return "", &commands.UsageError{Problem: "Write the name, an equals sign and the value. Nothing was changed."}
	}
	if strings.ContainsAny(value, "\r\n") {
		return "", &commands.UsageError{Problem: "The value has to be on one line. Nothing was changed."}
	}
	v, why := s.settable(name)
	if why != "" {
		return why, nil
	}
	env, err := s.nextEnv()
	if err != nil {
		return "", err
	}
	before := s.Problems(env)
	env[name] = value
	if len(added(before, s.Problems(env))) > 0 {
		return fmt.Sprintf("I could not start with that value of `%s`, so nothing was changed. %s", name, takes(v)), nil
	}
	err = s.File.Set(name, value)
	if atomicfile.IsFull(err) {
		return noRoom, nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("`%s` is set. %s", name, restartNeeded), nil
}

// unquoted removes the quotes that people copy from a file along with the value.
func unquoted(value string) string {
	for _, q := range []string{`"`, "'", "`"} {
		if inner, ok := strings.CutPrefix(value, q); ok && strings.HasSuffix(inner, q) {
			return strings.TrimSuffix(inner, q)
		}
	}
	return value
}

// takes describes the values of a setting.
func takes(v config.Variable) string {
	if len(v.Enum) > 0 {
		return "It takes one of these: " + strings.Join(v.Enum, ", ") + "."
	}
	return v.Doc
}

func (s command) unset(name string) (string, error) {
	if !envfile.Name.MatchString(name) {
		return "", &commands.UsageError{Problem: "Write the name alone. Nothing was changed."}
	}
	if _, why := s.settable(name); why != "" {
		return why, nil
	}
	env, err := s.nextEnv()
	if err != nil {
		return "", err
	}
	before := s.Problems(env)
	delete(env, name)
	if problems := added(before, s.Problems(env)); len(problems) > 0 {
		return fmt.Sprintf("I could not start without `%s`, so nothing was changed: %s.", name, strings.Join(problems, "; ")), nil
	}
	was, err := s.File.Unset(name)
	if atomicfile.IsFull(err) {
		return noRoom, nil
	}
	if err != nil {
		return "", err
	}
	if !was {
		return fmt.Sprintf("`%s` was not set, so there was nothing to change.", name), nil
	}
	return fmt.Sprintf("`%s` is removed. %s", name, restartNeeded), nil
}

func (s command) list(rest string) (string, error) {
	if err := commands.Alone(rest, "Just write `!secret list`."); err != nil {
		return "", err
	}
	names, err := s.File.Names()
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "No settings are stored yet.", nil
	}
	return "These settings are stored (I never show their values): `" + strings.Join(names, "`, `") + "`", nil
}

func (s command) usage() string {
	var keys []string
	for _, v := range s.Variables() {
		if _, why := s.settable(v.Name); why == "" && v.Secret {
			keys = append(keys, "`"+v.Name+"`")
		}
	}
	return "`!secret set NAME=value` stores a setting, `!secret unset NAME` removes it, and `!secret list` shows the names of those that are stored.\n" +
		"Keys that I use: " + strings.Join(keys, ", ") + ".\n" +
		"Settings that decide whom I answer, what I may do, or where I send things cannot be changed from Discord: edit the settings file instead."
}

// nextEnv returns the environment that a start would have now.
func (s command) nextEnv() (config.Env, error) {
	env := maps.Clone(s.Env)
	names, err := s.File.Names()
	if err != nil || len(names) == 0 {
		return env, err
	}
	saved, err := config.Read(nil, s.File.Path())
	if err != nil {
		return nil, err
	}
	maps.Copy(env, saved)
	return env, nil
}

// added returns the problems of after that are not in before.
func added(before, after []string) []string {
	return slices.DeleteFunc(after, func(p string) bool { return slices.Contains(before, p) })
}

// settable returns a setting, and why it cannot be changed from Discord; empty if it can. Settings
// that would make an operator's account worth stealing must be out of reach.
func (s command) settable(name string) (config.Variable, string) {
	vars := s.Variables()
	i := slices.IndexFunc(vars, func(v config.Variable) bool { return v.Name == name })
	if i < 0 {
		// The name is not shown: it may be the secret itself, in the wrong place.
		reply := "I have no setting of that name, so nothing was changed."
		if meant := config.Nearest(strings.ToUpper(name), s.Names()); meant != "" {
			reply += fmt.Sprintf(" Did you mean `%s`?", meant)
		}
		return config.Variable{}, reply
	}
	if why := vars[i].Locked(); why != "" {
		return vars[i], fmt.Sprintf("`%s` cannot be changed from Discord, because %s. Nothing was changed; edit the settings file instead.", name, why)
	}
	return vars[i], ""
}
