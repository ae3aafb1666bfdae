package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"discoclaw/internal/inspect"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		}),
	}
}

func versionLine() string {
	version, revision := inspect.Version()
	if revision != "" {
		revision = ", revision " + revision
	}
	return fmt.Sprintf("discoclaw %s (%s, %s/%s%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, revision)
}
