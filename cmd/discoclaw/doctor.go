package main

import (
	"cmp"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/config"
)

func newDoctor(s *settings) *cobra.Command {
	fix, online := false, false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings and the data directory, and say what to mend",
		Long: "Check the settings and the data directory, and say what to mend. It contacts nobody unless --online is given and, without --fix, changes nothing, so it can be run " +
			"beside a bot.",
		Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error { return s.doctor(cmd, fix, online) }),
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "keep other users of this machine from reading the settings and the data")
	cmd.Flags().BoolVar(&online, "online", false, "ask the model of each role for a word, which costs next to nothing")
	return cmd
}

func (s *settings) doctor(cmd *cobra.Command, fix, online bool) error {
	env, unread := config.Read(s.environ, s.file)
	if env == nil {
		return unread
	}
	file := cmp.Or(s.file, config.DefaultFile)
	if fix {
		fixed, err := app.Protect(env, file)
		if err != nil {
			return err
		}
		for _, e := range fixed {
			fmt.Fprintf(cmd.OutOrStdout(), "fixed: only you can read %s now\n", e.Path)
		}
	}
	wrong := 0
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	findings := app.Doctor(cmd.Context(), env, app.Outside{Settings: file, Unread: unread})
	if online {
		findings = append(findings, app.TryModels(cmd.Context(), env, nil)...)
	}
	for _, f := range findings {
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
		return app.Mistakef("1 thing has to be fixed")
	}
	return app.Mistakef("%d things have to be fixed", wrong)
}
