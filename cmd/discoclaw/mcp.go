package main

import "github.com/spf13/cobra"

func newMCP(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Let an MCP client, such as Claude Code, use the actions of the running bot",
		Long: "Let an MCP client, such as Claude Code, use the actions of the running bot, with the rights of one person.\n" +
			"The client starts this command and talks to it over its input and output. The bot needs DISCOCLAW_MCP_ENABLED=1.",
		Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			core, err := s.core(cmd)
			if err != nil {
				return err
			}
			return core.BridgeMCP(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		}),
	}
}
