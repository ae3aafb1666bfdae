package flow

import (
	"context"

	"discoclaw/internal/actions"
	"discoclaw/internal/turn/prompt"
)

// Knowledge tells a prompt what the bot knows of one subject that may matter in a turn, such as its requester or the
// open tasks of the server. A section without text is left out.
type Knowledge func(ctx context.Context, o actions.Origin, about string) (prompt.Known, error)

// inform adds what the bot knows to a setting. An error is only logged: the prompt then lacks that, which is no
// reason to fail.
func (p *prompts) inform(ctx context.Context, s *prompt.Setting, o actions.Origin, about string) {
	if o.Requester == "" { // another bot
		return
	}
	for _, tell := range p.Knowledge {
		known, err := tell(ctx, o, about)
		if err != nil {
			p.Log.WarnContext(ctx, "prompt lacks what is known", "user", o.Requester, "err", err)
			continue
		}
		if known.Text != "" {
			s.Known = append(s.Known, known)
		}
	}
}
