package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/config"
)

func newImport(s *settings) *cobra.Command {
	from := ""
	cmd := &cobra.Command{
		Use:   "import --from DIR",
		Short: "Take over the memories, tasks and scheduled jobs of the original bot in TypeScript",
		Long: "Take over what the original bot, in TypeScript, has stored in its data folder. That folder stays as it is. Stop the bot " +
			"first. Running the import again changes nothing. Scheduled jobs arrive paused.",
		Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			env, err := config.Read(s.environ, s.file)
			if err != nil {
				return err
			}
			if from == "" {
				return config.Mistakef("--from is missing: the data folder of the other bot, in which there are memory, tasks and cron")
			}
			report, err := app.Import(cmd.Context(), env, from)
			for _, line := range report {
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "the data folder of the other bot")
	return cmd
}
