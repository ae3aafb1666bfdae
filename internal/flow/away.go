package flow

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
)

// unanswered is the reason for dropping an away: all that is left to do is to say so.
const unanswered pipeline.Reason = "messages were too old or too many when the bot came back"

// An away is the event that messages for the bot in a channel stay unanswered after an absence. Its row in the
// inbox makes sure that people read of it once, also if this process is killed in the middle.
type away struct {
	Place chat.Place     // the channel
	After chat.MessageID // the last message before the absence, which identifies it
	Text  string         // what people read
}

// openAway opens the source of aways. They are dropped like every event that cannot be answered any more.
func openAway(d *deps) *pipeline.Entry[away] {
	return pipeline.Open(d.pipe, pipeline.Source[away]{
		Kind: inbox.Away,
		Key: func(a away) pipeline.Key {
			return pipeline.Key{ID: inbox.EventID(fmt.Sprintf("away-%s-%s", a.Place.Channel, a.After)), Place: a.Place}
		},
		Expired: func(context.Context, pipeline.Event[away], bool) (pipeline.Reason, error) { return unanswered, nil },
		Notices: func(e pipeline.Event[away], _ pipeline.Reason) pipeline.DropNotices {
			return pipeline.DropNotices{Text: e.Body.Text}
		},
		Do: func(context.Context, pipeline.Run[away]) (pipeline.Done, error) {
			return pipeline.Done{}, errors.New("there is nothing to do about an absence")
		},
	})
}
