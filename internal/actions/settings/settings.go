// Package settings is the config category: the models of the roles. It is not called
// config, because that is the package of the environment.
package settings

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// A Category changes the model assignments.
type Category struct {
	models *roles.Assignments
	doubt  func(llm.Choice) string
}

// New returns the config category. Doubt returns a remark on a choice that can be made but is odd, or an empty text;
// it may be nil.
func New(m *roles.Assignments, doubt func(llm.Choice) string) *Category {
	if doubt == nil {
		doubt = func(llm.Choice) string { return "" }
	}
	return &Category{models: m, doubt: doubt}
}

func (*Category) Name() string { return "config" }

// Flag: the category has no switch of its own. Its actions are for operators.
func (*Category) Flag() actions.Flag { return actions.Flag{Always: true} }

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.modelSet(), c.modelShow()}
}

func (*Category) ForReference() string {
	return "Roles: " + roles.Uses() + ". " +
		"A model is a tier (fast, capable, deep) or a concrete name, with a runtime in front or without, as in anthropic:capable. Changes last until the bot restarts. " +
		"Setting fast also sets summary, consent and cron; cron-exec follows chat while nothing is set for it. " +
		"A cron job's own model comes before the role cron-exec."
}

// A ModelSet gives a role another model.
type ModelSet struct {
	Role  roles.Role `json:"role" doc:"The work the model is for."`
	Model roles.Name `json:"model" doc:"A tier, a model's name, or the word default to take a change back." max:"200"`
}

func (c *Category) modelSet() *actions.Action {
	return actions.Define(actions.Spec[ModelSet]{
		Name:     "modelSet",
		Rare:     true,
		Effect:   actions.Keeps,
		Summary:  "Change the model of a role until the bot restarts.",
		Sentence: "Use the model {model} for the role {role} until I am restarted",
		Final:    true,
		Needs:    []chat.Permission{chat.Operator},
		Examples: []ModelSet{{Role: roles.Chat, Model: "capable"}},
		Do: func(_ context.Context, _ actions.Call, in ModelSet) (actions.Result, error) {
			summary, err := c.set(in.Role, in.Model)
			return actions.Result{Summary: summary}, err
		},
	})
}

// set gives a role another model, and says so.
func (c *Category) set(role roles.Role, model roles.Name) (string, error) {
	changed, err := c.models.Set(role, model)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, a := range changed {
		parts = append(parts, fmt.Sprintf("**%s** is now %s", a.Role, chat.InCode(string(a.Model))))
	}
	summary := "changed the model: " + strings.Join(parts, ", ")
	if to := changed[0].Resolved.String(); to != "" && to != changed[0].Model {
		summary += fmt.Sprintf(" (that is %s)", chat.InCode(to))
	}
	if doubt := c.doubt(changed[0].Resolved); doubt != "" {
		summary += "; " + doubt
	}
	return summary, nil
}

// A ModelShow lists the models by role.
type ModelShow struct{}

func (c *Category) modelShow() *actions.Action {
	return actions.Define(actions.Spec[ModelShow]{
		Name:     "modelShow",
		Hidden:   true,
		Rare:     true,
		Aliases:  []string{"SHOW_MODELS", "LIST_MODELS"},
		Summary:  "Show which model each role uses.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Needs:    []chat.Permission{chat.Operator},
		Examples: []ModelShow{{}},
		Do: func(context.Context, actions.Call, ModelShow) (actions.Result, error) {
			return actions.Result{Found: c.show(), Open: true, Summary: "looked up which models are used"}, nil
		},
	})
}

// show lists the models by role.
func (c *Category) show() string {
	lines := []string{"Models by role:"}
	for _, a := range c.models.All() {
		lines = append(lines, describe(a))
	}
	return strings.Join(lines, "\n")
}

func describe(a roles.Assignment) string {
	model := a.Model
	if to := a.Resolved.String(); to != "" && to != a.Model {
		model += " → " + to
	}
	line := fmt.Sprintf("**%s**: `%s`", a.Role, model)
	switch {
	case a.Override:
		line += " *(override)*"
	case a.Follows != "":
		line += fmt.Sprintf(" (follows %s)", a.Follows)
	}
	return line + ": " + a.Use
}
