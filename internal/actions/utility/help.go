package utility

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/reference"
	"discoclaw/internal/chat"
)

// A Help asks what actions take.
type Help struct {
	Types []string `json:"types" alias:"actions,names" doc:"Types of actions." min:"1" max:"12"`
}

// names are the types, also if a model has written several as one text.
func (in Help) names() []string { return strings.Split(strings.Join(in.Types, ","), ",") }

// actionHelp explains what prompts only name: rare types and fields.
func (*Category) actionHelp() *actions.Action {
	return actions.Define(actions.Spec[Help]{
		Name:     "actionHelp",
		Summary:  "Explain types of actions: all of their fields, their rules, and an example.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Helps:    true,
		Examples: []Help{{Types: []string{"sendFile", "roleEdit"}}},
		Do: func(_ context.Context, call actions.Call, in Help) (actions.Result, error) {
			parts := []string{"looked up how; nothing is carried out yet."} // or a type that stands first would seem to be
			for _, name := range in.names() {
				a, v := call.Gate().Named(name)
				if v.Decision == actions.Allowed {
					parts = append(parts, reference.Describe(a))
				} else {
					parts = append(parts, fmt.Sprintf("%s: %s.", plain(name), v.Why))
				}
			}
			return actions.Result{Found: strings.Join(parts, "\n\n"), Summary: "looked up how to do that", Open: true}, nil
		},
	})
}

// plain is a name that a model made up, without what could be read as more than that.
func plain(name string) string {
	return chat.Clip(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' {
			return r
		}
		return -1
	}, name), 60)
}
