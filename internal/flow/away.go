package flow

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
)

// unanswered is the reason for dropping an away: all that is left to do is to say so.
const unanswered Reason = "messages were too old or too many when the bot came back"

// An away is the event that messages for the bot in a channel stay unanswered after an absence. Its row in the
// inbox makes sure that people read of it once, also if this process is killed in the middle.
type away struct {
	Place chat.Place     // the channel
	After chat.MessageID // the last message before the absence, which identifies it
	Text  string         // what people read
}

// openAway opens the source of aways. They are dropped like every event that cannot be answered any more.
func openAway(f *Flows) {
	f.away = open(f.Pipeline, Source[away]{
		Kind: inbox.Away,
		Key: func(a away) Key {
			return Key{ID: inbox.EventID(fmt.Sprintf("away-%s-%s", a.Place.Channel, a.After)), Place: a.Place}
		},
		Expired: func(context.Context, Event[away], bool) (Reason, error) { return unanswered, nil },
		Dropped: func(e Event[away], _ Reason) Farewell { return Farewell{Text: e.Body.Text} },
		Do: func(context.Context, Run[away]) (Done, error) {
			return Done{}, errors.New("there is nothing to do about an absence")
		},
	})
}
