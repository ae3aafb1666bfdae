package fakediscord_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
)

const menu = `{"name":"bot","description":"All of it.","type":1,"contexts":[0,1],"integration_types":[0],"options":[
	{"type":1,"name":"stop","description":"Stop."},
	{"type":1,"name":"health","description":"Tell.","options":[
		{"type":3,"name":"what","description":"Which.","required":true,"choices":[{"name":"verbose","value":"verbose"}]},
		{"type":3,"name":"about","description":"More.","autocomplete":true}]}]}`

func (r *rig) commands(rest string) string {
	app := r.send("GET", "/applications/@me", "").want(200, 0)
	return "/applications/" + app["id"].(string) + "/commands" + rest
}

func TestABotRegistersCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob")
	if got := r.send("GET", r.commands(""), "").list("name"); len(got) != 0 {
		t.Errorf("at first: %q", got)
	}
	id := r.send("POST", r.commands(""), menu).want(201, 0)["id"].(string)
	again := r.send("POST", r.commands(""), strings.Replace(menu, "All of it.", "Everything.", 1)).want(200, 0)
	if again["id"] != id || again["description"] != "Everything." {
		t.Errorf("the same name: %v", again)
	}
	r.send("PATCH", r.commands("/"+id), `{"description":"Nothing."}`).want(200, 0)
	if got := r.Commands(); len(got) != 1 || got[0].Description != "Nothing." || len(got[0].Options) != 2 {
		t.Errorf("changed: %+v", got)
	}
	r.send("DELETE", r.commands("/"+id), "").want(204, 0)
	r.send("DELETE", r.commands("/"+id), "").want(404, 10063)
	r.send("GET", "/applications/1/commands", "").want(403, 50001)
	for _, wrong := range []string{
		`{"name":"Bot","description":"x"}`,
		`{"name":"bot"}`,
		`{"name":"bot","description":"x","options":[{"type":1,"name":"a","description":"x","options":[{"type":3,"name":"b","description":"x"},{"type":3,"name":"c","description":"x","required":true}]}]}`,
	} {
		r.sendAnyway("POST", r.commands(""), wrong).want(400, 50035)
	}
}

func TestACommandIsUsed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, told, wrong string
	}{
		{"/bot stop", `[{"name":"stop","options":[],"type":1}]`, ""},
		{"/bot health verbose", `[{"name":"health","options":[{"name":"what","type":3,"value":"verbose"}],"type":1}]`, ""},
		{"/bot health verbose a  b", `[{"name":"health","options":[{"name":"what","type":3,"value":"verbose"},{"name":"about","type":3,"value":"a  b"}],"type":1}]`, ""},
		{"/bot stop it", "", "it takes no options"},
		{"/bot health", "", "the option what is required"},
		{"/bot health brief", "", "does not take that"},
		{"/bot", "", "no subcommand"},
		{"/nothing", "", "there is no command"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "guild d: #a\nmember bob")
				r.send("POST", r.commands(""), menu).want(201, 0)
				r.onPress(func(p pressed) {
					r.send("POST", p.callback(), `{"type":5,"data":{"flags":64,`+quiet+`}}`).want(204, 0)
					r.send("PATCH", p.hook("/messages/@original"), `{"content":"Done.",`+quiet+`}`).want(200, 0)
					r.send("POST", p.hook(""), `{"content":"And more.","flags":64,`+quiet+`}`).want(200, 0)
				})
				var told string
				r.Watch(func(e fakediscord.Event) {
					if e.Name == "INTERACTION_CREATE" {
						told = options(t, e.Data)
					}
				})
				answer, err := r.Run("bob", "#a", tt.line)
				synctest.Wait()
				if tt.wrong != "" {
					if err == nil || !strings.Contains(err.Error(), tt.wrong) {
						t.Errorf("%v", err)
					}
					return
				}
				if err != nil || answer.Kind != fakediscord.ReplyDeferred || answer.Message.OnlyFor != r.user("bob") {
					t.Errorf("%+v, %v", answer, err)
				}
				if told != tt.told {
					t.Errorf("the bot is told %s, want %s", told, tt.told)
				}
				if got, want := r.Transcript(), "#a bot (only for bob): Done.\n#a bot (only for bob): And more.\n"; got != want {
					t.Errorf("%s", got)
				}
			})
		})
	}
}

// options are those of a command, as in the bot's event.
func options(t *testing.T, data []byte) string {
	t.Helper()
	var told struct {
		Data struct{ Options any }
	}
	if err := json.Unmarshal(data, &told); err != nil {
		t.Error(err)
	}
	text, err := json.Marshal(told.Data.Options)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

func TestACommandIsTyped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		r.send("POST", r.commands(""), menu).want(201, 0)
		r.onPress(func(p pressed) {
			r.sendAnyway("POST", p.callback(), `{"type":5}`).want(400, 50035)
			r.send("POST", p.callback(), `{"type":8,"data":{"choices":[{"name":"one","value":"1"},{"name":"two","value":"2"}]}}`).want(204, 0)
		})
		got, err := r.Type("bob", "@bot", "/bot health verbose o")
		if diff := cmp.Diff([]string{"1", "2"}, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
		if _, err := r.Type("bob", "#a", "/bot health verb"); err == nil {
			t.Error("a choice was suggested")
		}
	})
}

func TestACommandWithoutAnAnswerFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		r.send("POST", r.commands(""), menu).want(201, 0)
		if _, err := r.Run("bob", "#a", "/bot stop"); !errors.Is(err, fakediscord.ErrNoAnswer) {
			t.Errorf("%v", err)
		}
		if _, err := r.Run("nobody", "#a", "/bot stop"); err == nil || errors.Is(err, fakediscord.ErrNoAnswer) {
			t.Errorf("%v", err)
		}
	})
}
