package flow

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

// closed returns the categories in which a gate allows nothing.
func closed(reg *actions.Registry, o actions.Origin) []string {
	open := map[string]bool{}
	for c := range reg.Gate(actionstest.Open(reg), Narrowings(o)...).Sections() {
		open[c.Name()] = true
	}
	var off []string
	for _, c := range reg.Categories() {
		if !open[c.Name()] {
			off = append(off, c.Name())
		}
	}
	return off
}

func TestEachFlowSwitchesOffItsCategories(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	var all []string
	for _, c := range reg.Categories() {
		all = append(all, c.Name())
	}
	server := []string{"messaging", "reactionPrompt", "channels", "guild", "moderation", "polls"}
	for _, tt := range []struct {
		name   string
		origin actions.Origin
		want   []string
	}{
		{"message: nothing", actions.Origin{Flow: actions.FlowMessage, Requester: "1"}, nil},
		{"reaction: nothing", actions.Origin{Flow: actions.FlowReaction, Requester: "1"}, nil},
		{"cron", actions.Origin{Flow: actions.FlowCron, Requester: "1"},
			[]string{"crons", "botProfile", "memory", "defer", "reminders", "config", "voice"}},
		{"cron of an unknown author", actions.Origin{Flow: actions.FlowCron},
			append(slices.Clone(server), "crons", "botProfile", "memory", "defer", "reminders", "config", "voice")},
		{"message of nobody: nothing on the server", actions.Origin{Flow: actions.FlowMessage}, server},
		{"reaction of nobody: nothing on the server", actions.Origin{Flow: actions.FlowReaction}, server},
		{"deferred run for nobody: nothing on the server", actions.Origin{Flow: actions.FlowDefer}, append(slices.Clone(server), "memory", "defer")},
		{"voice of an unknown speaker: everything", actions.Origin{Flow: actions.FlowVoice}, all},
		{"deferred run", actions.Origin{Flow: actions.FlowDefer, Requester: "1"}, []string{"memory", "defer"}},
		{"voice", actions.Origin{Flow: actions.FlowVoice, Requester: "1"},
			[]string{"channels", "guild", "moderation", "polls", "crons", "botProfile", "forge", "plan", "defer", "config", "imagegen", "web", "utility"}},
		{"trusted bot: everything", actions.Origin{Flow: actions.FlowTrustedBot}, all},
		{"direct message: everything", actions.Origin{Flow: actions.FlowDM, Requester: "1"}, all},
		{"a way in that nobody thought of: everything", actions.Origin{Flow: "carrier pigeon", Requester: "1"}, all},
		{"no way in at all: everything", actions.Origin{}, all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, closed(reg, tt.origin)); diff != "" {
				t.Errorf("off (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSingleActionsAreExcluded(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	for _, tt := range []struct {
		action string
		origin actions.Origin
		want   actions.Decision
		reason string
	}{
		{"sendFile", actions.Origin{Flow: actions.FlowVoice, Requester: "1"}, actions.Stripped, "sendFile does not run in voice turns"},
		{"sendMessage", actions.Origin{Flow: actions.FlowVoice, Requester: "1"}, actions.Allowed, ""},
		{"reactionPrompt", actions.Origin{Flow: actions.FlowCron}, actions.Stripped, "actions on messages are not available when nobody is known to have asked"},
		{"planRun", actions.Origin{Flow: actions.FlowMessage, Requester: "1", Depth: 1}, actions.Refused, "that cannot be started from inside another run"},
		{"planRun", actions.Origin{Flow: actions.FlowMessage, Requester: "1"}, actions.Allowed, ""},
		{"defer", actions.Origin{Flow: actions.FlowDefer, Requester: "1"}, actions.Stripped, "deferred work is not available in follow-ups"},
	} {
		v := reg.Gate(actionstest.Open(reg), Narrowings(tt.origin)...).Verdict(tt.action)
		if v.Decision != tt.want || v.Reason() != tt.reason {
			t.Errorf("%s in %+v is %s: %s; want %s: %s", tt.action, tt.origin, v.Decision, v.Reason(), tt.want, tt.reason)
		}
	}
}

// TestRulesNameExistingCategoriesAndActions guards against typos, which would leave something switched on.
func TestRulesNameExistingCategoriesAndActions(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	rulers := map[string]bool{}
	types := map[string]bool{}
	for c, a := range reg.All() {
		rulers[actions.SwitchOwner(c)] = true
		types[a.Name] = true
	}
	rule := map[actions.Flow]access.Rule{}
	for _, w := range Ways() {
		if first, known := rule[w.Flow]; known && !cmp.Equal(first, w.Rule) {
			t.Errorf("%s has another rule than the first way of its flow", w)
		}
		rule[w.Flow] = w.Rule
		for _, category := range slices.Concat(w.Rule.Off, w.Rule.Only) {
			if !rulers[category] {
				t.Errorf("%s: the catalogue of actionstest has no category %q with a switch of its own; is it misspelled, or missing there?", w, category)
			}
		}
		for _, typ := range w.Rule.Types {
			if !types[typ] {
				t.Errorf("%s: the catalogue of actionstest has no type %q", w, typ)
			}
		}
	}
}

func TestEveryWayInSaysWhoMayUseIt(t *testing.T) {
	p := access.Policy{Users: []chat.UserID{"1"}}
	guild := chat.Place{Guild: "9", Channel: "10"}
	unattended := ""
	for _, way := range Ways() {
		if way.Name == "" || way.Flow == "" {
			t.Errorf("%+v does not say what it leads to", way)
		}
		for _, who := range []chat.User{{ID: "2"}, {ID: "1", Bot: true}} {
			if p.Admit(way, who, guild) == access.Admitted {
				t.Errorf("%s admits %+v", way, who)
			}
		}
		if way == access.ByBot {
			continue // see TestOtherBots
		}
		if p.Admit(way, chat.User{ID: "1"}, guild) != access.Admitted {
			t.Errorf("%s does not admit who is served", way)
		}
		if p.Admit(way, chat.User{}, guild) == access.Admitted {
			unattended += way.String() + " "
		}
	}
	if unattended != "cron " {
		t.Errorf("nobody in particular may come in by %s", unattended)
	}
	if got := p.Admit(&access.Way{Name: "carrier pigeon"}, chat.User{ID: "1"}, guild); got != access.NoWayIn {
		t.Errorf("a way that is not there: %q", got)
	}
}
