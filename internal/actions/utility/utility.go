// Package utility is the category of small actions that need no right: they act on their input or on the asker's own cards.
package utility

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/utility/calc"
	"discoclaw/internal/chat"
)

// A Category has no state of its own.
type Category struct{ cards Cards }

// New returns the utility category.
func New(c Cards) *Category { return &Category{c} }

func (*Category) Name() string { return "utility" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_UTILITY", Default: true}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.calculate(), c.actionHelp(), c.cardWithdraw()}
}

// A Calculate evaluates arithmetic, which models are poor at.
type Calculate struct {
	Expression string `json:"expression" doc:"Numbers, + - * / % ^, parentheses, sqrt abs floor ceil round min max pow ln log log2 exp sin cos tan, pi, e." max:"200"`
}

func (*Category) calculate() *actions.Action {
	return actions.Define(actions.Spec[Calculate]{
		Name:     "calculate",
		Aliases:  []string{"COMPUTE", "EVALUATE", "DO_MATH"},
		Summary:  "Evaluate an arithmetic expression.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Examples: []Calculate{{Expression: "342 * 15"}},
		// An expression without a value is a typo, and worth one repair.
		Check: func(in Calculate) error {
			if _, err := calc.Eval(in.Expression); err != nil {
				return fmt.Errorf("expression: %w", err)
			}
			return nil
		},
		Do: func(_ context.Context, _ actions.Call, in Calculate) (actions.Result, error) {
			expression := strings.TrimSpace(in.Expression)
			value, err := calc.Eval(expression)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: chat.InCode(expression) + " = " + value, Found: expression + " = " + value, Open: true}, nil
		},
	})
}
