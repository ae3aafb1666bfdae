package dialect_test

import (
	"slices"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
)

// mute is a category that is switched on, though nothing can speak.
type mute struct{ actionstest.Category }

func (mute) Unavailable(string) (why, remedy string) { return "I can't speak", "" }

// TestWordsAreNotLostForWantOfSound: what cannot be spoken is written.
func TestWordsAreNotLostForWantOfSound(t *testing.T) {
	type speech struct {
		Text string `json:"text" doc:"What."`
	}
	voice := actionstest.Category{Called: "voice", List: []*actions.Action{defined("voiceNote", speech{"hi"})}}
	talk := actionstest.Category{Called: "talk", List: []*actions.Action{actionstest.Define("say")}}
	const reply = `<actions><voice> Good morning. </voice><react emoji="x"/><voice>And <b>good</b> luck.</voice></actions>Bye.` +
		actions.BlockOpen + `{"type":"voiceNote","text":"A block."}` + actions.BlockClose +
		actions.BlockOpen + `{"type":"voiceNote"}` + actions.BlockClose + actions.BlockOpen + `{"type":"say"}` + actions.BlockClose
	all := []string{"voiceNote", "react", "voiceNote", "voiceNote", "voiceNote", "say"}
	written := []string{"Good morning.", "And <b>good</b> luck.", "A block."}
	for _, tt := range []struct {
		name       string
		voice      actions.Category
		on         []string
		rest       []string
		paragraphs []string
	}{
		{"it can be spoken", voice, nil, all, nil},
		{"the category is off", voice, []string{"talk"}, []string{"react", "voiceNote", "say"}, written},
		{"nothing can speak", mute{voice}, nil, []string{"react", "voiceNote", "say"}, written},
		{"there is no such action", nil, nil, []string{"react", "voiceNote", "say"}, written},
	} {
		cats := []actions.Category{talk}
		if tt.voice != nil {
			cats = append(cats, tt.voice)
		}
		reg := actionstest.Registry(t, cats...)
		gate := reg.Gate(actionstest.Open(reg, tt.on...))
		list, err := dialect.Options{Named: reg.Named}.List()
		if err != nil {
			t.Fatal(err)
		}
		rest, paragraphs := dialect.Spoken(gate, list.Parser(gate).Parse(reply).Requests)
		var types []string
		for _, r := range rest {
			types = append(types, r.Type)
		}
		if !slices.Equal(types, tt.rest) || !slices.Equal(paragraphs, tt.paragraphs) {
			t.Errorf("%s: left are %q, and written are %q", tt.name, types, paragraphs)
		}
	}
}
