// Command discoclaw is the bot, with commands that inspect it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	_ "time/tzdata" // for machines that have no zones

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

func run(args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(environ)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return exitFine
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(stderr, "discoclaw:", line)
	}
	return exitCode(err)
}

// exitCode tells faults from mistakes. An error of a command is a fault unless it says
// otherwise; all others are cobra's complaints about the call.
func exitCode(err error) int {
	var mistake *config.Mistake
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

// running wraps a command's body, so that its errors are ranErrors.
func running(body func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := body(cmd, args); err != nil {
			return &ranError{err}
		}
		return nil
	}
}

func newRoot(environ []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "discoclaw",
		Short: "A Discord bot that lets a language model act on your server, within limits you set",
		Long: "A Discord bot that lets a language model act on your server, within limits you set.\n" +
			"Without a command it runs the bot; \"discoclaw play\" tries it without a token.",
		// Errors are printed once, by run; usage only on request.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	s := &settings{environ: environ}
	// Now, since a restart runs the file that is there then.
	s.program, _ = os.Executable()
	root.PersistentFlags().StringVar(&s.file, "env-file", "", "read settings from this `file` (default .env, if there is one)")
	version := root.Flags().Bool("version", false, "print the version") // cobra's own flag needs templates, with which the linker keeps 8 MB more
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	run := running(s.run)
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *version {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		}
		return run(cmd, args)
	}
	root.AddCommand(newRun(s), newPlay(s), newPlayBot(), newDoctor(s), newImport(s), newInvite(s), newActions(s), newMCP(s), newVersion())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	refuseUnknown(root)
	return root
}

// settings are the source of the configuration.
type settings struct {
	environ []string
	file    string
	program string // path of the executable; empty if unknown
}

// core reads the configuration and prints its warnings.
func (s *settings) core(cmd *cobra.Command) (*app.Core, error) {
	env, err := config.Read(s.environ, s.file)
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

// refuseUnknown makes an unknown subcommand a mistake. Cobra by itself would show help
// and report success.
func refuseUnknown(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		refuseUnknown(sub)
	}
	if cmd.Name() == "help" {
		cmd.Args = func(help *cobra.Command, args []string) error {
			found, rest, err := help.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(found, args[len(args)-1])
			}
			return nil
		}
		return
	}
	if !cmd.HasSubCommands() {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(cmd, args[0])
	}
	if !cmd.Runnable() {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

func unknownCommand(group *cobra.Command, name string) error {
	group.SuggestionsMinimumDistance = 2
	what := fmt.Sprintf("unknown command %q for %q", name, group.CommandPath())
	if near := group.SuggestionsFor(name); len(near) > 0 {
		return fmt.Errorf("%s; did you mean %s?", what, strings.Join(near, " or "))
	}
	return fmt.Errorf("%s; see \"%s --help\"", what, group.CommandPath())
}

// flagError names the values that a flag takes, where the flag package would quote
// the function that failed.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool" {
		return fmt.Errorf("--%s: %q is not one of true, false", invalid.GetFlag().Name, invalid.GetValue())
	}
	return err
}
