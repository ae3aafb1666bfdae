// Command discoclaw is the bot, and the ways to look at what it can do.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/config"
)

// Exit codes.
const (
	exitFine    = 0
	exitFault   = 1
	exitMistake = 2 // in the call or in the configuration
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return exitFine
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(stderr, "discoclaw:", line)
	}
	return exitCode(err)
}

// exitCode tells faults from mistakes. What a command itself returns is a fault
// unless it says otherwise; everything before that is cobra complaining about the
// call.
func exitCode(err error) int {
	var mistake *app.Mistake
	var configuration *config.Error
	var ran *ranError
	if errors.As(err, &ran) && !errors.As(err, &mistake) && !errors.As(err, &configuration) {
		return exitFault
	}
	return exitMistake
}

// A ranError comes from a command that was called correctly.
type ranError struct{ error }

func (e *ranError) Unwrap() error { return e.error }

// running adapts a command's body.
func running(body func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := body(cmd, args); err != nil {
			return &ranError{err}
		}
		return nil
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "discoclaw",
		Short: "A Discord bot that lets a language model act on your server, within limits you set",
		Args:  noSubcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		// Errors are printed once, by run; usage is for those who ask for it.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().String("env-file", "", "read settings from this `file` (default .env, if there is one)")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newActions(), newVersion())
	return root
}

// noSubcommand is for commands that only group others. Cobra by itself would
// show help for a misspelled one and report success.
func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	what := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("%s; did you mean %s?", what, strings.Join(near, " or "))
	}
	return fmt.Errorf("%s; see \"%s --help\"", what, cmd.CommandPath())
}

// loadCore reads the environment and passes warnings on.
func loadCore(cmd *cobra.Command) (*app.Core, error) {
	file, err := cmd.Flags().GetString("env-file")
	if err != nil {
		return nil, err
	}
	env, err := config.Read(os.Environ(), file)
	if err != nil {
		return nil, err
	}
	core, err := app.NewCore(env)
	if err != nil {
		return nil, err
	}
	for _, w := range core.Warnings {
		cmd.PrintErrln("warning:", w)
	}
	return core, nil
}
