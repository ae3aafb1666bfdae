package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"discoclaw/internal/config"
	"discoclaw/internal/inspect"
)

func newActions(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "actions",
		Short: "Show what the bot can do and what it may do",
		Long: "Show what the bot can do and what it may do, judged from the environment.\n" +
			"Nothing is contacted and nothing is changed.",
	}
	cmd.AddCommand(newActionsList(s), newActionsSchema(s), newActionsPrompt(s), newActionsWhy(s), newActionsParse(s))
	return cmd
}

func flowUsage() string {
	return "the `flow` a turn begins with: " + strings.Join(inspect.Flows(), ", ")
}

func newActionsList(s *settings) *cobra.Command {
	var asJSON bool
	var flow string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all actions",
		Args:  cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			core, err := s.core(cmd)
			if err != nil {
				return err
			}
			var in *string
			if cmd.Flags().Changed("flow") {
				in = &flow
			}
			all, err := core.Inspect.List(in)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), all, "  ")
			}
			return printTable(cmd.OutOrStdout(), all)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&flow, "flow", "", "add the verdict for "+flowUsage())
	return cmd
}

func printTable(w io.Writer, all []inspect.Listing) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TYPE\tCATEGORY\tEFFECT\tSTATE\tSUMMARY")
	on, categories := 0, map[string]bool{}
	for _, l := range all {
		categories[l.Category] = true
		state := "off"
		if l.Enabled {
			state = "on"
			on++
		}
		if l.Judgement != nil {
			state = l.Verdict
		}
		effect := l.Effect
		if l.Destructive {
			effect += ", destructive"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", l.Type, l.Category, effect, state, l.Summary)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%d types in %d categories, %d of them on\n", len(all), len(categories), on)
	_, err := w.Write(b.Bytes())
	return err
}

func newActionsSchema(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [TYPE]",
		Short: "Print the JSON Schema of one action's fields, or of all by type",
		Args:  typeCount(0, 1),
		RunE: running(func(cmd *cobra.Command, args []string) error {
			core, err := s.core(cmd)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return printJSON(cmd.OutOrStdout(), core.Inspect.Schemas(), "  ")
			}
			schema, err := core.Inspect.Schema(args[0])
			if err != nil {
				return err
			}
			return printJSON(cmd.OutOrStdout(), schema, "  ")
		}),
	}
}

func newActionsPrompt(s *settings) *cobra.Command {
	var flow, text string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "prompt",
		Short: "Print what a model is taught about actions, and how long a prompt is",
		Long: "Print what a model is taught about actions, which is the same in every turn. Below stands how long\n" +
			"the parts of a whole prompt would be, with the documents that are there now.",
		Args: cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			core, err := s.core(cmd)
			if err != nil {
				return err
			}
			size, err := core.Inspect.PromptSize(cmd.Context(), flow, text)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), size, "  ")
			}
			taught, err := core.Inspect.Prompt(flow)
			if err != nil {
				return err
			}
			if taught == "" {
				cmd.PrintErrln("no action is allowed in this flow, so the model is told nothing about actions")
			} else if _, err := fmt.Fprintln(cmd.OutOrStdout(), taught+"\n"); err != nil {
				return err
			}
			return printSize(cmd.OutOrStdout(), size)
		}),
	}
	cmd.Flags().StringVar(&flow, "flow", "message", flowUsage())
	cmd.Flags().StringVar(&text, "text", "", "what the user said")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print how long the parts are as JSON, and nothing else")
	return cmd
}

func printSize(w io.Writer, size inspect.PromptSize) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "BYTES\t  PART")
	for _, s := range size.Sections {
		fmt.Fprintf(t, "%d\t  %s\n", s.Bytes, s.Name)
	}
	fmt.Fprintf(t, "%d\t  together, of which %d are the same in every turn\n", size.Bytes, size.Static)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func newActionsWhy(s *settings) *cobra.Command {
	var flow string
	cmd := &cobra.Command{
		Use:   "why TYPE",
		Short: "Say whether an action may run, and why not",
		Args:  typeCount(1, 1),
		RunE: running(func(cmd *cobra.Command, args []string) error {
			core, err := s.core(cmd)
			if err != nil {
				return err
			}
			why, err := core.Inspect.Why(args[0], flow)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), why)
			return err
		}),
	}
	cmd.Flags().StringVar(&flow, "flow", "message", flowUsage())
	return cmd
}

// typeCount checks the number of action types.
func typeCount(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%d types given; usage: %s", len(args), cmd.UseLine())
		}
		return nil
	}
}

// printJSON writes v with one call, so that a partial write is a fault.
func printJSON(w io.Writer, v any, indent string) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func newActionsParse(s *settings) *cobra.Command {
	var flags, allow, dialects string
	cmd := &cobra.Command{
		Use:   "parse",
		Short: "Parse a model's text from stdin without running anything",
		Args:  cobra.NoArgs,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			options, err := parseOptions(cmd, flags, allow, dialects)
			if err != nil {
				return err
			}
			core, err := s.core(cmd)
			if err != nil {
				return err
			}
			text, err := readText(cmd.InOrStdin())
			if err != nil {
				return err
			}
			result, err := core.Inspect.Parse(text, options)
			if err != nil {
				return err
			}
			// Not indented: the output would grow with the square of the nesting.
			return printJSON(cmd.OutOrStdout(), result, "")
		}),
	}
	cmd.Flags().StringVar(&flags, "flags", "", "switches by category as `JSON`, e.g. {\"messaging\":true}, in place of the environment's")
	cmd.Flags().StringVar(&allow, "allow", "", "accept only these `types`, separated by commas; \"\" accepts nothing")
	cmd.Flags().StringVar(&dialects, "dialects", "", "`dialects` to understand besides blocks, separated by commas; \"\" understands none")
	return cmd
}

func parseOptions(cmd *cobra.Command, flags, allow, dialects string) (inspect.ParseOptions, error) {
	var o inspect.ParseOptions
	if cmd.Flags().Changed("flags") {
		var given map[string]*bool
		err := json.Unmarshal([]byte(flags), &given)
		o.Flags = map[string]bool{}
		for name, on := range given {
			if on == nil {
				given = nil
				break
			}
			o.Flags[name] = *on
		}
		if err != nil || given == nil {
			return o, config.Mistakef("--flags: not a JSON object from category names to true or false, such as {\"messaging\":true}")
		}
	}
	if cmd.Flags().Changed("allow") {
		types := names(allow)
		o.Allow = &types
	}
	if cmd.Flags().Changed("dialects") {
		o.Dialects = &dialects
	}
	return o, nil
}

func names(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// readText reads stdin whole. The limit is far above any model's reply.
func readText(in io.Reader) (string, error) {
	const most = 64 << 20
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read stdin: %w", err)
	case len(text) > most:
		return "", config.Mistakef("stdin: the text is longer than %d MiB", most>>20)
	case !utf8.Valid(text):
		return "", config.Mistakef("stdin: the text is not valid UTF-8")
	}
	return string(text), nil
}
