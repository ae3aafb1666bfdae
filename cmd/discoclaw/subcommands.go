package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/inspect"
	"discoclaw/internal/invite"
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
	d, err := app.NewDoctor(env, app.Externals{Settings: file, Unread: unread})
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
	build := inspect.Version()
	made := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if origin := build.Origin(); origin != "" {
		made = append(made, origin)
	}
	return fmt.Sprintf("discoclaw %s (%s)", build.Version, strings.Join(made, ", "))
}
