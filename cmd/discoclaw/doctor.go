package main

import (
	"cmp"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
)

func newDoctor(s *settings) *cobra.Command {
	fix, online := false, false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings and the data directory, and say what to fix",
		Long: "Check the settings and the data directory, and say what to fix. Nothing is contacted unless --online is given, and nothing is changed\n" +
			"unless --fix is given, so it can be run while a bot is running. --online also asks Discord about the token, the intents, the servers and\n" +
			"the permissions there, and each model that is in use for one word, which costs a little money.\n" +
			"The exit code is 0 if nothing has to be fixed, 1 if only servers do not answer or fail, and 2 otherwise.",
		Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error { return s.doctor(cmd, fix, online) }),
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "keep other users of this machine from reading the settings and the data")
	cmd.Flags().BoolVar(&online, "online", false, "also ask Discord, and each model in use for one word, which costs a little money")
	return cmd
}

func (s *settings) doctor(cmd *cobra.Command, fix, online bool) error {
	env, unread := config.Read(s.environ, s.file)
	if env == nil {
		return unread
	}
	file := cmp.Or(s.file, config.DefaultFile)
	d, err := app.NewDoctor(env, app.Outside{Settings: file, Unread: unread})
	if err != nil {
		return err
	}
	if fix {
		fixed, err := d.Secrets.Protect()
		if err != nil {
			return err
		}
		for _, e := range fixed {
			fmt.Fprintf(cmd.OutOrStdout(), "fixed: only you can read %s now\n", e.Path)
		}
	}
	wrong, faults := 0, 0
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	findings := d.Check(cmd.Context())
	if online {
		findings = append(findings, d.CheckOnline(cmd.Context())...)
	}
	for _, f := range findings {
		mark := "ok"
		switch {
		case f.Wrong:
			mark = "WRONG"
			wrong++
			if f.Fault {
				faults++
			}
		case f.Note:
			mark = "note"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", mark, f.What, f.State)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	text := chat.Counted(wrong, "thing has", "things have") + " to be fixed"
	switch wrong {
	case 0:
		return nil
	case faults:
		return errors.New(text)
	}
	return config.Mistakef("%s", text)
}
