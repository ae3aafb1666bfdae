package doctor_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/config"
	"discoclaw/internal/consent"
	"discoclaw/internal/llm/llmtest"
)

// numbered is an answer of the reader.
func numbered(t *testing.T, asked []int) llmtest.Answer {
	t.Helper()
	data, err := json.Marshal(map[string][]int{"asked": asked})
	must(t, err)
	return llmtest.Text(string(data))
}

// readings are answers to the sample. Change gives other numbers than those that were asked for, or nil for these.
func readings(t *testing.T, change func(i int, c consent.Case) []int) (list []llmtest.Answer) {
	t.Helper()
	for i, c := range consent.Sample() {
		asked := c.Asked
		if other := change(i, c); other != nil {
			asked = other
		}
		list = append(list, numbered(t, asked))
	}
	return list
}

func well(int, consent.Case) []int { return nil }

func TestTheReaderIsTriedOnASample(t *testing.T) {
	const other = "; choose another model in DISCOCLAW_CONSENT_MODEL, or set DISCOCLAW_TAINT=confirm"
	with := func(n int, a llmtest.Answer) func(*testing.T) []llmtest.Answer {
		return func(t *testing.T) []llmtest.Answer {
			list := readings(t, well)
			for i := range n {
				list[i] = a
			}
			return list
		}
	}
	for _, tt := range []struct {
		name    string
		answers func(*testing.T) []llmtest.Answer
		want    string
		asked   int // times
	}{
		{"a good one", func(t *testing.T) []llmtest.Answer { return readings(t, well) },
			"ok consent: %s confirmed 8 of 8 sample actions that were asked for, and none of 9 others", 12},
		{"one that misses one", func(t *testing.T) []llmtest.Answer {
			return readings(t, func(i int, _ consent.Case) []int { return map[int][]int{1: {}}[i] })
		}, "ok consent: %s confirmed 7 of 8 sample actions that were asked for, and none of 9 others", 12},
		{"one that confirms what was not asked for", func(t *testing.T) []llmtest.Answer {
			return readings(t, func(i int, _ consent.Case) []int { return map[int][]int{1: {1, 2}}[i] })
		}, "WRONG consent: %s does not tell what people have asked for: it confirmed 1 of 9 sample actions that nobody had asked for" + other, 12},
		{"one that confirms nothing", func(t *testing.T) []llmtest.Answer {
			return readings(t, func(int, consent.Case) []int { return []int{} })
		}, "note consent: %s confirmed 0 of 8 sample actions that were asked for, and none of 9 others, so people have to approve more than need be" + other, 12},
		{"one that chats", with(2, llmtest.Text("Sure: 1 and 2.")),
			"note consent: %s confirmed 4 of 8 sample actions that were asked for, and none of 9 others, with 2 answers that were not in the form that it was asked for, so people have to approve more than need be" + other, 12},
		{"one that is late", with(2, llmtest.Silent()),
			"note consent: %s confirmed 4 of 8 sample actions that were asked for, and none of 9 others, with 2 answers too late (after 10s), so people have to approve more than need be" + other, 12},
		{"one that fails", with(1, llmtest.NoSuchModel()),
			`WRONG consent: %s: model.test does not have the model that was asked for; choose another one than "m-2" in OPENAI_MODEL or RUNTIME_MODEL`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := new(llmtest.Server).Listen()
				defer l.Close()
				l.Queue(llmtest.Text("yes"), llmtest.Text("yes"))
				l.Queue(tt.answers(t)...)
				began := time.Now()
				got := readerLines(t, l.URL, app.Externals{ModelHTTP: l.HTTP}, "check")
				requireLines(t, got, []string{strings.Replace(tt.want, "%s", "m-2 at "+l.URL, 1)})
				if spent := time.Since(began); spent > 21*time.Second {
					t.Errorf("it takes %v", spent)
				}
				asked := l.Requests()[2:]
				if len(asked) != tt.asked {
					t.Errorf("it is asked %d times, want %d", len(asked), tt.asked)
				}
				for i, req := range asked {
					if m := req.Messages; req.Model != "m-2" || m[0].Content != consent.Instruction || m[1].Content != consent.Sample()[i].Request.String() {
						t.Errorf("request %d is %+v", i+1, req)
					}
				}
			})
		})
	}
}

// readerLines are the findings about the role consent, whose model is m-2.
func readerLines(t *testing.T, url string, out app.Externals, taint config.Choice, off ...string) []string {
	t.Helper()
	env := config.Env{"OPENAI_BASE_URL": url, "OPENAI_MODEL": "m-1", "DISCOCLAW_CONSENT_MODEL": "m-2", "DISCOCLAW_DATA_DIR": t.TempDir()}
	for _, name := range off {
		env[name] = "0"
	}
	d := newDoctor(t, env, out)
	d.Config.Actions.Taint = taint
	var lines []string
	for _, f := range d.CheckOnline(t.Context()) {
		lines = append(lines, mark(f)+" "+f.What+": "+f.State)
	}
	return slices.DeleteFunc(lines, func(line string) bool {
		return !strings.Contains(line, " consent: ") || strings.Contains(line, " model: ")
	})
}

// TestTheReaderIsNotTriedInVain: where it decides nothing, or cannot be asked, it costs nothing.
func TestTheReaderIsNotTriedInVain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		taint  config.Choice
		second llmtest.Answer
		off    []string // switches
	}{
		{"people are asked", "confirm", llmtest.Text("yes"), nil},
		{"it is off", "off", llmtest.Text("yes"), nil},
		{"it has just failed", "check", llmtest.NoSuchModel(), nil},
		{"there are no actions", "check", llmtest.Text("yes"), []string{"DISCOCLAW_DISCORD_ACTIONS"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := new(llmtest.Server).Listen()
				defer l.Close()
				l.Queue(llmtest.Text("yes"), tt.second)
				requireLines(t, readerLines(t, l.URL, app.Externals{ModelHTTP: l.HTTP}, tt.taint, tt.off...), nil)
				if n := len(l.Requests()); n != 2 {
					t.Errorf("%d requests were sent", n)
				}
			})
		})
	}
}
