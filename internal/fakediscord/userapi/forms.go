package userapi

import "discoclaw/internal/fakediscord"

// pick chooses an entry of the bot from the menu of a message. The answer is the form that the
// bot shows, or null: anything else that the bot answers arrives as a message.
func (c *call) pick() error {
	m, err := c.shared()
	if err != nil {
		return err
	}
	_, entry, err := c.commandLine()
	if err != nil {
		return err
	}
	answer, err := c.world.Pick(c.as(), m.ID, entry)
	if err != nil {
		return unanswered(err)
	}
	return c.answer(map[string]*form{"form": formFrom(answer)})
}

func formFrom(answer fakediscord.Answer) *form {
	if answer.Kind != fakediscord.FormShown {
		return nil
	}
	f := &form{ID: answer.Form.ID, Title: answer.Form.Title, Fields: []formField{}}
	for _, field := range answer.Form.Fields {
		f.Fields = append(f.Fields, formField(field))
	}
	return f
}

// submit sends a form that the bot has shown to the member.
func (c *call) submit() error {
	ch, err := c.channel()
	if err != nil {
		return err
	}
	var in struct {
		Form   string            `json:"form"`
		Values map[string]string `json:"values"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	answer, err := c.world.Submit(c.as(), string(ch.ID), in.Form, in.Values)
	if err != nil {
		return unanswered(err)
	}
	return c.told(answer)
}
