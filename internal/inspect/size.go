package inspect

import (
	"cmp"
	"context"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/prompt"
	"discoclaw/internal/workspace"
)

// A PromptSize lists the sections of a prompt and their sizes.
type PromptSize struct {
	Flow     string        `json:"flow"`
	Sections []llm.Section `json:"sections"`
	Bytes    int           `json:"bytes"`  // all of them
	Static   int           `json:"static"` // the sections at the beginning that are the same in every turn
}

// PromptSize measures the prompt of a turn in a flow if a user writes text, with the workspace's
// documents as they are; it creates none. A flow without a prompt of its own is measured as a
// message.
func (i *Inspector) PromptSize(ctx context.Context, flowName, text string) (PromptSize, error) {
	gate, err := i.Gate(flowName)
	if err != nil {
		return PromptSize{}, err
	}
	p, err := i.samplePrompt(ctx, gate, actions.Flow(flowName), text)
	if err != nil {
		return PromptSize{}, err
	}
	req, err := p.First(ctx)
	if err != nil {
		return PromptSize{}, err
	}
	size := PromptSize{Flow: flowName, Sections: req.Sections, Bytes: req.Size()}
	for _, s := range req.Sections {
		switch s.Name {
		case "functions", "rules", "persona", "actions":
			size.Static += s.Bytes
		}
	}
	return size, nil
}

// samplePrompt returns the prompt of a turn in which a user writes text.
func (i *Inspector) samplePrompt(ctx context.Context, gate actions.Gate, flow actions.Flow, text string) (turn.Prompt, error) {
	setting, err := i.sampleSetting(ctx, gate, flow)
	if err != nil {
		return nil, err
	}
	by := chat.User{ID: "123456789012345678", Name: "somebody"}
	said := prompt.Said{Message: chat.Message{Author: by, Text: text}}
	switch flow {
	case actions.FlowReaction:
		return prompt.Reaction{Setting: setting, Said: said, By: by, Emoji: "👀"}, nil
	case actions.FlowDefer:
		return prompt.Deferred{Setting: setting, Channel: "123456789012345678", At: setting.Now, By: by, Asked: setting.Now, AskedIn: "123456789012345678", Words: text}, nil
	}
	return prompt.Message{Setting: setting, Said: []prompt.Said{said}}, nil
}

func (i *Inspector) sampleSetting(ctx context.Context, gate actions.Gate, flow actions.Flow) (prompt.Setting, error) {
	looking := i.Workspace
	looking.AutoIndex, looking.Require = false, false
	texts := workspace.New(looking)
	s := prompt.Setting{
		Who:    prompt.Who{Bot: cmp.Or(i.Name(), "DiscoClaw"), FromBot: flow == actions.FlowTrustedBot},
		Where:  prompt.Where{Channel: "general", Now: time.Now()},
		Gate:   gate,
		Native: i.Native,
		Once:   i.Config.Actions.FollowUps == 0,
	}
	var err error
	if s.Persona, err = texts.Persona(ctx); err != nil || flow != actions.FlowDM {
		return s, err // there is no channel whose context could be added
	}
	s.Channel = ""
	s.Context, err = texts.Context(ctx, chat.Place{}, "")
	if docs := texts.Notes(ctx, s.Now.In(i.Config.Chat.Zone())); len(docs) > 0 {
		s.Known = append(s.Known, i.Quote(docs)) // as in that of an operator
	}
	return s, err
}
