package discord

import (
	"encoding/json"
	"strings"
)

// Kinds of components that have a text, or others in them.
// https://discord.com/developers/docs/components/reference
const (
	sectionComponent   = 9
	textComponent      = 10
	thumbnailComponent = 11
	galleryComponent   = 12
	fileComponent      = 13
	containerComponent = 17
)

// A wireComponent has the fields of all kinds that are used. Those inside it stay undecoded, so that one of
// a new kind spoils no other.
type wireComponent struct {
	Type        int             `json:"type"`
	Content     string          `json:"content"`
	Description string          `json:"description"`
	Name        string          `json:"name"`
	Components  json.RawMessage `json:"components"`
	Accessory   json.RawMessage `json:"accessory"`
	Items       []struct {
		Description string `json:"description"`
	} `json:"items"`
}

// componentTexts are the texts of a list of components, in order. Buttons and menus are to be used, not read.
func componentTexts(list json.RawMessage) []string {
	var each []json.RawMessage
	if json.Unmarshal(list, &each) != nil {
		return nil
	}
	var texts []string
	for _, data := range each {
		var c wireComponent
		if json.Unmarshal(data, &c) == nil {
			texts = append(texts, c.texts()...)
		}
	}
	return texts
}

func (c wireComponent) texts() []string {
	switch c.Type {
	case textComponent:
		return []string{strings.TrimSpace(c.Content)}
	case containerComponent:
		return componentTexts(c.Components)
	case sectionComponent:
		return append(componentTexts(c.Components), componentTexts(json.RawMessage("["+string(c.Accessory)+"]"))...)
	case thumbnailComponent:
		return []string{picture(c.Description)}
	case fileComponent:
		return []string{"(file: " + c.Name + ")"}
	case galleryComponent:
		var texts []string
		for _, item := range c.Items {
			texts = append(texts, picture(item.Description))
		}
		return texts
	}
	return nil
}

func picture(label string) string {
	if label == "" {
		return "(picture)"
	}
	return "(picture: " + label + ")"
}
