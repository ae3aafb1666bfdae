package main

import (
	"io"

	"github.com/spf13/cobra"

	"discoclaw/internal/config"
	"discoclaw/internal/play"
)

func newPlay(s *settings) *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Try the bot on a Discord inside this process: no account, no token, no key",
		Long: "Try the bot on a Discord inside this process, in a conversation. A script speaks for the bot,\n" +
			"unless OPENAI_API_KEY or OPENAI_BASE_URL leads to a real model.",
		Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error { return s.play(cmd, verbose) }),
	}
	cmd.Flags().BoolVar(&verbose, "log", false, "show the bot's log")
	return cmd
}

func (s *settings) play(cmd *cobra.Command, verbose bool) error {
	env, err := config.Read(s.environ, s.file)
	if err != nil {
		return err
	}
	var log io.Writer
	if verbose {
		log = cmd.ErrOrStderr()
	}
	ctx, stop := untilSignalled(cmd.Context())
	defer stop()
	return play.Run(ctx, play.Options{Env: env, In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Log: log})
}
