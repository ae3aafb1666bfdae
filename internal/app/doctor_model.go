package app

import (
	"cmp"
	"fmt"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/llm/roles"
)

// model says which model writes the replies, and whether a setting chose it.
func (c *Core) model() Finding {
	choice := c.models.Resolved(roles.Chat)
	k, ok := kindOf(cmp.Or(choice.Runtime, c.primary))
	if !ok || c.given {
		return Finding{What: "model", State: choice.String()}
	}
	f := Finding{What: "model", State: c.modelText(k, choice)}
	switch {
	case !c.choosesModel(k, choice):
	case k.name == "openai" && c.Config.OpenAI.BaseURL != "":
		f.State += ", because no setting names one; set OPENAI_MODEL to a model that this server has"
		f.Note = true
	default:
		f.State += ", the default; RUNTIME_MODEL chooses another"
	}
	return f
}

// modelText names a model, and the vendor, server or program that it is asked at.
func (c *Core) modelText(k runtimeKind, choice llm.Choice) string {
	return fmt.Sprintf("%s %s", cmp.Or(choice.Model, "the default model"), k.where(c.Config))
}

// choosesModel reports whether a model is that of the built-in table, rather than of a setting or of !models.
func (c *Core) choosesModel(k runtimeKind, choice llm.Choice) bool {
	a := k.access(c.Config)
	usual := llm.ParseChoice(cmp.Or(string(c.Config.Models.Chat), "capable"), runtimeNames())
	return models.IsTier(usual.Model) && choice.Model == c.resolve(usual) && a.Model == "" && a.Fast == "" && a.Capable == "" && a.Deep == ""
}

// where says at which vendor or server, or by which program, the models of a runtime are asked.
func (k runtimeKind) where(c config.Config) string {
	switch base := k.access(c).BaseURL; {
	case k.program != nil:
		return fmt.Sprintf("by %s (%s)", k.vendor, k.program(c))
	case base != "" && string(base) != k.home:
		return "at " + string(base)
	}
	return "at " + k.vendor
}
