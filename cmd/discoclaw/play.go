package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"discoclaw/internal/config"
	"discoclaw/internal/play"
)

func newPlay(s *settings) *cobra.Command {
	var o play.Options
	var talk, open, log bool
	var layout string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Try the bot on a Discord inside this process: no account, no token, no key",
		Long: "Try the bot on a Discord inside this process, as a page in your browser. A script speaks for\n" +
			"the bot, unless the settings have the key or the address of a real model, such as OPENAI_API_KEY or ANTHROPIC_API_KEY.",
		Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignalled(cmd.Context(), cmd.ErrOrStderr(), hangUps())
			defer stop()
			env, err := config.Read(s.environ, s.file)
			if err != nil {
				return err
			}
			o.Settings = cmp.Or(s.file, config.DefaultFile)
			o.Env, o.In, o.Out, o.Errs = env, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if o.Layout, err = readLayout(layout); err != nil {
				return err
			}
			if log {
				o.Log = cmd.ErrOrStderr()
			}
			if open {
				o.Ready = func(url string) { openBrowser(url, s.environ, cmd.ErrOrStderr()) }
			}
			// A closed pipe is an error like any other, after which the playground still has to
			// clean up.
			signal.Ignore(syscall.SIGPIPE)
			if talk {
				return play.Talk(ctx, o)
			}
			if s.program != "" {
				o.Bot = []string{s.program, playBot}
			}
			return play.Serve(ctx, o)
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&talk, "talk", false, "talk in this terminal instead of a page")
	flags.BoolVar(&open, "open", false, "open the page in a browser")
	flags.BoolVar(&log, "log", false, "show the bot's log")
	flags.BoolVar(&o.Demo, "demo", false, "let a script speak for the bot, even if the settings name a model")
	flags.StringVar(&o.World, "world", "", "play on the Discord in this `file`, and keep it there, with the bot's data beside it")
	flags.StringVar(&layout, "layout", "", "make a new Discord as this `file` describes it")
	flags.StringVar(&o.Data, "data", "", "keep the bot's data in this `folder` (default: with --world FILE in FILE.data; otherwise deleted on exit)")
	flags.StringVar(&o.Address, "listen", "", "serve the page at this `address` of this machine (default 127.0.0.1:8484, or any that is free)")
	return cmd
}

// playBot is the command of the process that a playground's bot is, so that its plug can be pulled.
const playBot = "play-bot"

func newPlayBot() *cobra.Command {
	return &cobra.Command{
		Use: playBot, Short: "The bot of a playground, which starts it by itself", Hidden: true, Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error { return play.Alone(cmd.InOrStdin(), cmd.OutOrStdout()) }),
	}
}

// readLayout reads the description of a Discord; without a file there is none.
func readLayout(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", config.Mistakef("the layout cannot be read (%v); name another file", err)
	}
	return string(text), nil
}

// openBrowser opens the page; without a browser there is still the address on the
// terminal. The child's environment has the display variables, and none of the settings.
func openBrowser(url string, environ []string, stderr io.Writer) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Env = slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains([]string{"PATH", "HOME", "USER", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "SystemRoot"}, name) &&
			!strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "DBUS_")
	})
	if err := cmd.Start(); err != nil {
		io.WriteString(stderr, "warning: no browser could be opened ("+err.Error()+"); open the address yourself\n")
		return
	}
	go func() { _ = cmd.Wait() }() // its exit code does not matter
}
