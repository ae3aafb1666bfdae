package flow

import (
	"context"

	"discoclaw/internal/actions"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

// inform adds what the bot knows to a setting. An error is only logged: the prompt then lacks that, which is no
// reason to fail.
func (p *prompts) inform(ctx context.Context, s *prompt.Setting, o actions.Origin, about string) {
	if o.Requester == "" { // another bot
		return
	}
	for _, of := range p.Knowledge {
		known, err := of.Knows(ctx, gather.Asked{Origin: o, About: about})
		if err != nil {
			p.Log.WarnContext(ctx, "prompt lacks what is known", "user", o.Requester, "err", err)
			continue
		}
		for _, section := range known {
			if section.Text != "" {
				s.Known = append(s.Known, section)
			}
		}
	}
}
