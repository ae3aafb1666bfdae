package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"discoclaw/internal/config"
	"discoclaw/internal/inspect"
)

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
