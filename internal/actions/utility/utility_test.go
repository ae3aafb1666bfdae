package utility

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

func TestCalculate(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a product", `{"type":"calculate","expression":" 342 * 15 "}`, "-# Done: `342 * 15` = 5130"},
		{"a bare number", `{"type":"calculate","expression":7}`, "-# Done: `7` = 7"},
		{"nothing", `{"type":"calculate"}`, "Failed: calculate: expression: missing"},
		{"blank", `{"type":"calculate","expression":"  "}`, "Failed: calculate: expression: empty"},
		{"too long", `{"type":"calculate","expression":"` + strings.Repeat("1", 201) + `"}`, "Failed: calculate: expression: has 201 characters, must have at most 200"},
		{"not arithmetic", `{"type":"calculate","expression":"rm -rf"}`, "Failed: calculate: expression: unknown name \"rm\""},
		{"by zero", `{"type":"calculate","expression":"1/0"}`, "Failed: calculate: expression: division by zero"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := actionstest.Run(t, New(nil), tt.in)[0]
			if strings.HasPrefix(got, "Failed: ") {
				got = actionstest.Tell(t, New(nil), tt.in)[0] // people are not told why
			}
			if got != tt.want {
				t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

// TestActionHelpTellsAllOfTheTypesThatMayRun, in whatever spelling, and of others only why they may not.
func TestActionHelpTellsAllOfTheTypesThatMayRun(t *testing.T) {
	type paint struct {
		Wall  string `json:"wall" doc:"Which wall."`
		Color string `json:"color,omitempty" rare:"yes" doc:"Which color." default:"white"`
	}
	walls := actionstest.Category{Called: "walls", List: []*actions.Action{
		actions.Define(actions.Spec[paint]{
			Name: "wallPaint", Aliases: []string{"PAINT_IT"}, Summary: "Paint a wall.", Notes: []string{"It has to dry."}, Sentence: "Paint {wall}[, {color}]",
			Needs: []chat.Permission{chat.Operator}, Examples: []paint{{Wall: "north"}},
			Do: func(context.Context, actions.Call, paint) (actions.Result, error) { return actions.Result{}, nil },
		}),
		actionstest.Define("wallFell", func(s *actionstest.Spec) { s.Destructive = true }),
	}}
	away := actionstest.Category{Called: "away", List: []*actions.Action{actionstest.Define("fly")}}
	const painting = "wallPaint: Paint a wall.\n" + `{"type":"wallPaint","wall":"north"}` +
		"\n  wall (required): Which wall.\n  color (optional, default white): Which color.\n  It has to dry.\n  Only for those who run you."
	const falling = "wallFell: Stand in for wallFell.\n" + `{"type":"wallFell"}` + "\n  It asks first, by a card: do not ask yourself."
	for _, tt := range []struct{ name, in, want string }{
		{"one", `["wallPaint"]`, painting},
		{"one that is no list, and spelled otherwise", `"paint_it"`, painting},
		{"several", `["wallFell","wallPaint"]`, falling + "\n\n" + painting},
		{"several in one text", `"wallFell, wallPaint"`, falling + "\n\n" + painting},
		{"one that is switched off", `["fly"]`, "fly: away actions are switched off here."},
		{"none that is known", `["{\"type\":\"ban\"}","wallFell"]`, "typeban: there is no such action.\n\n" + falling},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reg := actionstest.Registry(t, New(nil), walls, away)
			gate := reg.Gate(actionstest.Open(reg, "walls"))
			outs := actions.NewDispatcher(actions.DispatcherOptions{}).Execute(t.Context(), actions.Origin{}, gate,
				[]actions.Request{{Type: "actionHelp", Args: json.RawMessage(`{"types":` + tt.in + `}`)}})
			if got := actions.AllLines(outs)[0]; got != "Done: looked up how; nothing is carried out yet.\n\n"+tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			known := func(actions.Result) bool { return true }
			if got := fmt.Sprint(actions.Lines(outs), actions.LastLines(outs, known)); got != "[] [-# Not done: I have only looked up how to do it; please ask again]" {
				t.Errorf("people get %s", got)
			}
			if why := actions.FollowUp(actions.Round{Outcomes: outs}); why != actions.Results || outs[0].Result.Outside != "" {
				t.Errorf("the model is asked again because of %v, having read %v", why, outs[0].Result.Outside)
			}
		})
	}
}
