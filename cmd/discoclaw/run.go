package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
)

func newRun(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run the bot until it is told to stop",
		Long: "Run the bot until it is told to stop. It logs in with DISCORD_TOKEN, answers the people in\n" +
			"DISCORD_ALLOW_USER_IDS, and asks the model that OPENAI_API_KEY or OPENAI_BASE_URL leads to.\n" +
			"Plain \"discoclaw\" does the same.",
		Args: cobra.NoArgs,
		RunE: running(s.run),
	}
}

// run is the bot itself.
func (s *settings) run(cmd *cobra.Command, _ []string) error {
	env, err := config.Read(s.environ, s.file)
	if err != nil {
		return err
	}
	file, err := filepath.Abs(cmp.Or(s.file, config.DefaultFile))
	if err != nil {
		return err
	}
	var once sync.Once // Discord may ask for a new login at any time
	bot, err := app.NewBot(env, app.Outside{
		Log:      cmd.ErrOrStderr(),
		Settings: file,
		Online: func(self chat.User) {
			once.Do(func() { fmt.Fprintf(cmd.OutOrStdout(), "Online as %s. Stop with Ctrl-C.\n", self.Name) })
		},
	})
	if err != nil {
		return err
	}
	for _, w := range bot.Warnings() {
		cmd.PrintErrln("warning:", w)
	}
	ctx, stop := untilSignalled(cmd.Context())
	defer stop()
	return bot.Run(ctx)
}

// untilSignalled ends at the first Ctrl-C or SIGTERM. A second one ends the process
// at once, for people who do not want to wait.
func untilSignalled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
