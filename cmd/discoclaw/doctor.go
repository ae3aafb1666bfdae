package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/config"
)

func newDoctor(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings and the data directory, and say what to mend",
		Long:  "Check the settings and the data directory, and say what to mend. It contacts nobody and changes nothing, so it can be run beside a bot.",
		Args:  cobra.NoArgs,
		RunE:  running(s.doctor),
	}
}

func (s *settings) doctor(cmd *cobra.Command, _ []string) error {
	env, err := config.Read(s.environ, s.file)
	if err != nil {
		return err
	}
	wrong := 0
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, f := range app.Doctor(cmd.Context(), env) {
		mark := "ok"
		switch {
		case f.Wrong:
			mark = "WRONG"
			wrong++
		case f.Note:
			mark = "note"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", mark, f.What, f.State)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	switch wrong {
	case 0:
		return nil
	case 1:
		return app.Mistakef("1 thing has to be mended before the bot can run")
	}
	return app.Mistakef("%d things have to be mended before the bot can run", wrong)
}
