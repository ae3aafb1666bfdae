package fakediscord

import (
	"encoding/json"
	"fmt"

	"discoclaw/internal/chat"
)

// A Form is what Discord calls a modal: the bot shows it to one person, who fills it in.
type Form struct {
	ID     string `json:"custom_id"`
	Title  string `json:"title"`
	Fields []FormField

	InRows bool `json:"-"` // the fields were sent in rows, as before there were labels, and come back so
}

// A FormField is a text to be typed.
type FormField struct {
	ID       string
	Label    string
	Required bool
	Longest  int // 0 means any length that Discord takes
}

// Kinds of components in a form.
const (
	textInput = 4
	formLabel = 18
)

// Pick chooses an entry of the bot from the menu of a message, and waits for the answer.
func (w *World) Pick(user string, message chat.MessageID, entry string) (Answer, error) {
	var it *interaction
	err := w.change(func() error {
		m := w.messages[message]
		if m == nil {
			return fmt.Errorf("there is no message %s", message)
		}
		who, where, err := w.whoAndWhere(user, string(m.Channel))
		if err != nil {
			return err
		}
		command, err := w.usable(where, messageCommand, entry)
		if err != nil {
			return err
		}
		it = w.interact(who, where)
		w.tellInteraction(it, who, where, object{
			"id": command.ID, "name": command.Name, "type": messageCommand, "target_id": m.ID,
			"resolved": object{"messages": object{string(m.ID): w.messageJSON(m)}},
		})
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	return w.await(it, entry)
}

// Submit sends a form that the bot has shown to a member in a channel, filled in, and waits for the answer.
func (w *World) Submit(user, channel, form string, values map[string]string) (Answer, error) {
	var it *interaction
	var f Form
	err := w.change(func() error {
		who, where, err := w.whoAndWhere(user, channel)
		if err != nil {
			return err
		}
		shown, err := w.shownForm(who, where, form)
		if err != nil {
			return err
		}
		f = shown.answer.Form
		var filled []object
		for i, field := range f.Fields {
			value := values[field.ID]
			if err := field.check(value); err != nil {
				return err
			}
			text := object{"type": textInput, "id": 2*i + 2, "custom_id": field.ID, "value": value}
			if f.InRows {
				filled = append(filled, object{"type": ActionRow, "id": 2*i + 1, "components": []object{text}})
			} else {
				filled = append(filled, object{"type": formLabel, "id": 2*i + 1, "component": text})
			}
		}
		it = w.interact(who, where)
		it.Message, it.Form = shown.Message, shown.ID
		w.tellInteraction(it, who, where, object{"custom_id": f.ID, "components": filled})
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	return w.await(it, "the form "+f.Title)
}

// shownForm finds the newest interaction that the bot has answered with a form of an ID, for a member in a channel.
func (w *World) shownForm(who *Member, where *Channel, id string) (*interaction, error) {
	var newest *interaction
	for _, it := range w.interactions {
		shown := it.answer.Kind == FormShown && it.answer.Form.ID == id && it.User == who.ID && it.channel == where.ID
		if shown && (newest == nil || it.at.After(newest.at)) {
			newest = it
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("the bot has shown %s no form %q in %s", who.Name, id, where)
	}
	return newest, nil
}

// check refuses what Discord's own clients do not send.
func (f FormField) check(value string) error {
	switch n := chat.Length(value); {
	case n == 0 && f.Required:
		return fmt.Errorf("%q has to be filled in", f.Label)
	case f.Longest > 0 && n > f.Longest:
		return fmt.Errorf("%q takes %d characters at most", f.Label, f.Longest)
	}
	return nil
}

// tellInteraction sends an interaction to the bot. It arrives independently of rights and intents.
func (w *World) tellInteraction(it *interaction, who *Member, where *Channel, data object) {
	o := w.interactionJSON(it, who, where)
	o["data"] = data
	w.queue("INTERACTION_CREATE", 0, where, o, o, true)
}

// A formInput is a text to be typed, below its label or in a row of its own.
type formInput struct {
	Type       int        `json:"type"`
	Label      string     `json:"label"`
	Component  formText   `json:"component"`
	Components []formText `json:"components"`
}

type formText struct {
	Type     int    `json:"type"`
	ID       string `json:"custom_id"`
	Label    string `json:"label"` // of one in a row
	Required *bool  `json:"required"`
	Longest  int    `json:"max_length"`
}

func (in formInput) field() (FormField, error) {
	text, label := in.Component, in.Label
	isRow := in.Type == ActionRow && len(in.Components) == 1
	if isRow {
		text, label = in.Components[0], in.Components[0].Label
	}
	if !isRow && in.Type != formLabel || text.Type != textInput {
		return FormField{}, notBuiltError("a form with anything but texts that have labels")
	}
	return FormField{ID: text.ID, Label: label, Required: text.Required == nil || *text.Required, Longest: text.Longest}, nil
}

// showForm answers an interaction with a form.
func (c *call) showForm(it *interaction, data json.RawMessage) (answer, error) {
	var in struct {
		Form
		Components []formInput `json:"components"`
	}
	if err := decode(data, &in); err != nil {
		return answer{}, err
	}
	if in.ID == "" || in.Title == "" || len(in.Components) == 0 {
		return answer{}, invalid("data", "BASE_TYPE_REQUIRED", "This field is required")
	}
	for _, l := range in.Components {
		field, err := l.field()
		if err != nil {
			return answer{}, err
		}
		in.Fields = append(in.Fields, field)
		in.InRows = l.Type == ActionRow
	}
	it.answer = Answer{Kind: FormShown, Form: in.Form}
	return c.acknowledged(it, callbackForm, nil)
}
