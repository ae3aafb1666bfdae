package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"discoclaw/internal/invite"
)

func newInvite(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "invite",
		Short: "Print the link that puts the bot on a server",
		Long: "Print the link that puts the bot on a server, with the permissions it needs for what is\n" +
			"switched on. Open it in a browser, logged in as somebody who may manage the server.\n" +
			"If the bot is already on the server, change its role instead: Server Settings → Roles → the bot's role.\n" +
			"DISCORD_TOKEN says which application it is; nothing else of it is shown, and nothing is contacted.",
		Args: cobra.NoArgs,
		RunE: running(s.invite),
	}
}

func (s *settings) invite(cmd *cobra.Command, _ []string) error {
	core, err := s.core(cmd)
	if err != nil {
		return err
	}
	i, err := invite.New(core.Config.Discord.Token.Reveal(), core.Inspect.Registry, core.Inspect.Flags)
	if err != nil {
		return err
	}
	if !i.Known {
		cmd.PrintErrln("warning: DISCORD_TOKEN is not set: put your application's ID into the link yourself " +
			"(Discord's developer portal → General Information → Application ID)")
	}
	_, err = cmd.OutOrStdout().Write(invitation(i))
	return err
}

// invitation has the link on a line of its own, which is the first, for scripts.
func invitation(i invite.Invitation) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\nThe bot asks for these permissions (%d):\n", i.Link, i.Number)
	for _, p := range i.Permissions {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	if len(i.Categories) == 0 {
		b.WriteString("They are enough to talk; no actions are on.\n")
	} else {
		fmt.Fprintf(&b, "They are for talking and for the actions that are on: %s.\n", strings.Join(i.Categories, ", "))
	}
	return b.Bytes()
}
