package lifecycle_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"discoclaw/internal/lifecycle"
	"discoclaw/internal/turn/class"
)

var names = map[lifecycle.Phase]string{
	lifecycle.Nothing: "none", lifecycle.Processing: "processing", lifecycle.Success: "success", lifecycle.Complete: "complete", lifecycle.Error: "error",
}

func TestTheDecisionKeepsTheVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Lifecycle []struct {
			Name string
			Turn struct {
				Aborted, RunError, Text, ActionFailed, Delivered bool
				Type                                             class.Class
				Count, Max                                       int
			}
			Next, Reaction string
		}
	}
	data, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || len(file.Lifecycle) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, v := range file.Lifecycle {
		goesOn, phase := lifecycle.Turn{
			Stopped: v.Turn.Aborted, Failed: v.Turn.RunError, Text: v.Turn.Text, ActionFailed: v.Turn.ActionFailed,
			Class: v.Turn.Type, Count: v.Turn.Count, Max: v.Turn.Max, Delivered: v.Turn.Delivered,
		}.Decide()
		if goesOn != (v.Next == "continue") || names[phase] != v.Reaction {
			t.Errorf("%s: goes on: %v, %s; want %s, %s", v.Name, goesOn, names[phase], v.Next, v.Reaction)
		}
	}
}

// TestCompleteMeansDelivered: whatever else is true of a turn, the phase complete is that of one whose text was delivered, and
// text that was due and is not there is an error.
func TestCompleteMeansDelivered(t *testing.T) {
	t.Parallel()
	classes := []class.Class{"", class.Completion, class.Status, class.Question, class.Blocker, class.Error}
	for bits := range 32 {
		for _, c := range classes {
			turn := lifecycle.Turn{Stopped: bits&1 > 0, Failed: bits&2 > 0, Text: bits&4 > 0, ActionFailed: bits&8 > 0, Delivered: bits&16 > 0, Class: c}
			switch _, p := turn.Decide(); {
			case p == lifecycle.Complete && !turn.Delivered:
				t.Errorf("%+v is complete", turn)
			case turn.Text && !turn.Delivered && !turn.Stopped && p != lifecycle.Error:
				t.Errorf("%+v is no error", turn)
			}
		}
	}
}

func settings(values ...string) (list [5]lifecycle.Setting) {
	for i, name := range []string{"DISCOCLAW_REACTION_RECEIVED", "DISCOCLAW_REACTION_PROCESSING", "DISCOCLAW_REACTION_SUCCESS", "DISCOCLAW_REACTION_COMPLETE", "DISCOCLAW_REACTION_ERROR"} {
		list[i] = lifecycle.Setting{Name: name, Value: []string{"👀", "🤔", "👍", "🏆", "😱"}[i]}
	}
	for i := 0; i < len(values); i += 2 {
		at := slices.IndexFunc(list[:], func(s lifecycle.Setting) bool { return s.Name == "DISCOCLAW_REACTION_"+values[i] })
		list[at].Value = values[i+1]
	}
	return list
}

func TestEmojisAreChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		values []string
		want   []string
	}{
		{"as they are", nil, nil},
		{"one of a server", []string{"ERROR", "<:oops:123456789012345678>"}, nil},
		{"not shown", []string{"SUCCESS", "none", "COMPLETE", "none"}, nil},
		{"by name", []string{"ERROR", ":warning:"}, nil},
		{"none", []string{"ERROR", "sad face"}, []string{`DISCOCLAW_REACTION_ERROR: "sad face" is not an emoji`}},
		{"the stop sign", []string{"ERROR", "🛑"}, []string{"DISCOCLAW_REACTION_ERROR: 🛑 stops replies, so it cannot show how far they are; choose another emoji"}},
		{"twice", []string{"COMPLETE", "👍"}, []string{"DISCOCLAW_REACTION_SUCCESS and DISCOCLAW_REACTION_COMPLETE are the same emoji, 👍; choose another for one of them"}},
		{"twice in two spellings", []string{"SUCCESS", "✔️", "COMPLETE", "✔"}, []string{"DISCOCLAW_REACTION_SUCCESS and DISCOCLAW_REACTION_COMPLETE are the same emoji, ✔; choose another for one of them"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := lifecycle.ParseEmojis(settings(tt.values...)); !slices.Equal(got, tt.want) {
				t.Errorf("problems:\n%q, want\n%q", got, tt.want)
			}
		})
	}
}
