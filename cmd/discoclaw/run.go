package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/doctor"
)

func newRun(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run the bot until it is told to stop",
		Long: "Run the bot until it is told to stop. It logs in with DISCORD_TOKEN, answers the people in\n" +
			"DISCORD_ALLOW_USER_IDS, and asks the model whose key or address is in the settings, such as OPENAI_API_KEY.\n" +
			"Plain \"discoclaw\" does the same.",
		Args: cobra.NoArgs,
		RunE: running(s.run),
	}
}

// run runs the bot.
func (s *settings) run(cmd *cobra.Command, _ []string) error {
	ending, ignored := hangUps(), (<-chan os.Signal)(nil)
	if !hasTerminal() {
		ending, ignored = nil, ending
	}
	ctx, stop := untilSignalled(cmd.Context(), cmd.ErrOrStderr(), ending)
	defer stop()
	env, unread := config.Read(s.environ, s.file)
	if env == nil {
		return unread
	}
	file, err := filepath.Abs(cmp.Or(s.file, config.DefaultFile))
	if err != nil {
		return err
	}
	hidden := app.HideKeys()
	var once sync.Once // the connected event may come several times
	bot, err := app.NewBot(env, app.Externals{
		Log:      cmd.ErrOrStderr(),
		Settings: file,
		Unread:   unread,
		HangUps:  ignored,
		Online: func(self chat.User) {
			once.Do(func() { fmt.Fprintf(cmd.OutOrStdout(), "Online as %s. Stop with Ctrl-C.\n", self.Name) })
		},
	})
	if bad, ok := errors.AsType[*config.Error](err); ok {
		cmd.PrintErrln("settings:", doctor.SettingsSource(file))
		for _, w := range bad.Warnings {
			cmd.PrintErrln("warning:", w)
		}
	}
	if err != nil {
		return err
	}
	for _, w := range append(bot.Warnings(), bot.ReadableKeys(hidden)...) {
		cmd.PrintErrln("warning:", w)
	}
	if err := bot.Run(ctx); !errors.Is(err, app.ErrRestart) {
		return err
	}
	// Everything is closed by now, the lock of the data directory included. The settings
	// file is read again, since the environment has none of it.
	return reexec(s.program, s.environ)
}

// shutdownTimeout is how long the bot may take to shut down. It takes less, unless
// something is very wrong.
const shutdownTimeout = 15 * time.Second

// untilSignalled is cancelled at the first Ctrl-C, SIGTERM or hang-up, which is the cause. A second Ctrl-C or SIGTERM exits the
// process at once, and so does shutdownTimeout. A terminal that is closed may send SIGHUP twice.
func untilSignalled(ctx context.Context, stderr io.Writer, hangUps <-chan os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			cancel(fmt.Errorf("signal: %v", s))
		case s := <-hangUps:
			cancel(fmt.Errorf("signal: %v", s))
		case <-over:
			return
		}
		select {
		case <-signals:
			fmt.Fprintln(stderr, "discoclaw: ended at once; replies that were being written are marked at the next start")
		case <-time.After(shutdownTimeout):
			fmt.Fprintf(stderr, "discoclaw: ended after %v, though not everything was put away\n", shutdownTimeout)
		case <-over:
			return
		}
		os.Exit(exitFault)
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals) // not hang-ups: a late SIGHUP would end a process that is about to exit with 0
		close(over)
		cancel(nil)
	})
}

// hangUps receives SIGHUP from now on, unless it is ignored, as it is by nohup for a bot that outlives its terminal.
func hangUps() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
	return c
}

// hasTerminal reports whether this process has a controlling terminal, whose end the system reports with SIGHUP. A service and a container
// have none. Standard input says less: it may be redirected in a terminal.
func hasTerminal() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	_ = tty.Close() // nothing was read
	return true
}
