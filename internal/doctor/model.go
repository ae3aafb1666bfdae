package doctor

import (
	"cmp"
	"fmt"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/llm/roles"
)

// A Runtime is a way to reach models, as the settings have it.
type Runtime struct {
	Name    string
	Vendor  string // its proper name
	Home    string // the vendor's address, if that is the default of a setting
	Program string // that it runs; empty for a server
	Access  config.Access
	Ready   bool // it is set up
	Open    func() llm.Runtime
}

func (d *Doctor) runtime(name string) (Runtime, bool) {
	for _, r := range d.Runtimes() {
		if r.Name == name {
			return r, true
		}
	}
	return Runtime{}, false
}

// chatModel returns the model that writes the replies, and its runtime. Known reports whether that is one of the settings.
func (d *Doctor) chatModel() (choice llm.Choice, r Runtime, known bool) {
	choice = d.Models.Resolved(roles.Chat)
	r, known = d.runtime(cmp.Or(choice.Runtime, d.Primary))
	return choice, r, known && !d.Given
}

// Model names the model that writes the replies.
func (d *Doctor) Model() string {
	choice, r, known := d.chatModel()
	if !known {
		return choice.String()
	}
	return r.model(choice)
}

// model says which model writes the replies, and whether a setting chose it.
func (d *Doctor) model() Finding {
	f := Finding{What: "model", State: d.Model()}
	switch choice, r, known := d.chatModel(); {
	case !known || !d.choosesModel(r, choice):
	case r.Name == "openai" && d.Config.OpenAI.BaseURL != "":
		f.State += ", because no setting names one; set OPENAI_MODEL to a model that this server has"
		f.Note = true
	default:
		f.State += ", the default; RUNTIME_MODEL chooses another"
	}
	return f
}

// choosesModel reports whether a model is that of the built-in table, rather than of a setting or of !models.
func (d *Doctor) choosesModel(r Runtime, choice llm.Choice) bool {
	var names []string
	for _, r := range d.Runtimes() {
		names = append(names, r.Name)
	}
	usual := llm.ParseChoice(cmp.Or(string(d.Config.Models.Chat), "capable"), names)
	a := r.Access
	return models.IsTier(usual.Model) && choice.Model == d.Resolve(usual) && a.Model == "" && a.Fast == "" && a.Capable == "" && a.Deep == ""
}

// model names a model, and the vendor, server or program that it is asked at.
func (r Runtime) model(choice llm.Choice) string {
	return fmt.Sprintf("%s %s", cmp.Or(choice.Model, "the default model"), r.where())
}

// where says at which vendor or server, or by which program, the models are asked.
func (r Runtime) where() string {
	switch base := r.Access.BaseURL; {
	case r.Program != "":
		return fmt.Sprintf("by %s (%s)", r.Vendor, r.Program)
	case base != "" && string(base) != r.Home:
		return "at " + string(base)
	}
	return "at " + r.Vendor
}
