package voice

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/voice/player"
	"discoclaw/internal/voice/soundfile"
	"discoclaw/internal/voice/spoken"
)

// toSpeak are the rights that the requester must have in the bot's voice channel to be heard there through it.
var toSpeak = []chat.Permission{chat.ViewChannel, chat.Connect, chat.Speak}

var errNotInVoice = errors.New("I'm not in a voice channel here; ask me to join one first")

// errMoved: somebody has moved the bot since rights were checked.
var errMoved = errors.New("I have changed my voice channel meanwhile; ask again")

// demandsSpeech demands the rights for what is said in the call.
func (c *Category) demandsSpeech(ctx context.Context, call actions.Call) ([]actions.Demand, error) {
	ch, err := c.bots(ctx, call)
	if err == nil && ch == "" {
		err = errNotInVoice
	}
	return []actions.Demand{{Channel: ch, Rights: toSpeak}}, err
}

// play plays something in the call. All that can be known beforehand is checked before it is made, since that may cost money.
func (c *Category) play(ctx context.Context, call actions.Call, do func(*player.Player) error) (chat.ChannelID, error) {
	ch, err := c.bots(ctx, call)
	if err != nil {
		return "", err
	}
	for _, right := range toSpeak {
		if may, err := call.May(ctx, c.server.MissingPermissions, ch, right); ch == "" || !may || err != nil {
			return "", errMoved
		}
	}
	if err := c.server.CheckOwn(ch, chat.Speak); err != nil {
		return "", err
	}
	g := call.Origin.Place.Guild
	carries, plays := c.engine.Call(g), c.engine.Player(g)
	if carries == nil || plays == nil {
		return "", errors.New("I'm not connected to the call; try again in a minute")
	}
	now, _ := c.engine.Status(g)
	state, _ := carries.State()
	switch {
	case now.Mute:
		return "", errors.New("I'm muted in the voice channel; unmute me first")
	case len(state.People) == 0:
		return "", errors.New("nobody else is in the call")
	}
	return ch, do(plays)
}

// sayAloud says a text in the call, within the budgets.
func (c *Category) sayAloud(ctx context.Context, call actions.Call, text string) (chat.ChannelID, error) {
	return c.play(ctx, call, func(p *player.Player) error {
		if !c.turns.Take(call.Origin.Turn, maxNotes) {
			return errTooMany
		}
		text := spoken.Clean(text, nil)
		return c.pay(ctx, call.Origin, text, func() error {
			sound, err := c.Speech.Sound(ctx, text)
			if err != nil {
				return err
			}
			defer sound.Close()
			_, err = p.Play(ctx, sound)
			return err
		})
	})
}

// A VoicePlay plays a file in the call.
type VoicePlay struct {
	Message chat.MessageRef `json:"messageId,omitempty" alias:"message" doc:"A message in this channel with an .ogg or .wav file: a handle such as m2, an ID, or a link. Left out, it is the one that asks."`
}

// maxPlay is how long a file may be: nobody hears the bot meanwhile.
const maxPlay = 5 * time.Minute

func (c *Category) voicePlay() *actions.Action {
	return actions.Define(actions.Spec[VoicePlay]{
		Name:     "voicePlay",
		Aliases:  []string{"PLAY_AUDIO", "PLAY_SOUND"},
		Rare:     true,
		Summary:  "Play an attached .ogg or .wav file in the voice call that the bot is in.",
		Sentence: "Play the file[ of {messageId}] in the voice channel[ {where}]",
		Notes:    []string{"Files of up to five minutes can be played."},
		Needs:    toSpeak,
		MayNeed:  []chat.Permission{chat.ReadHistory},
		Limit:    maxPlay + time.Minute,
		Examples: []VoicePlay{{Message: "123456789012345678"}},
		NeedsIn: func(ctx context.Context, call actions.Call, _ VoicePlay) (chat.ChannelID, error) {
			demands, err := c.demandsSpeech(ctx, call)
			return demands[0].Channel, err
		},
		AlsoNeeds: func(_ context.Context, call actions.Call, _ VoicePlay) ([]actions.Demand, error) {
			return []actions.Demand{{Channel: call.Origin.Place.Channel, Rights: []chat.Permission{chat.ViewChannel, chat.ReadHistory}}}, nil
		},
		Do: c.doVoicePlay,
	})
}

func (c *Category) doVoicePlay(ctx context.Context, call actions.Call, in VoicePlay) (actions.Result, error) {
	file, err := c.recording(ctx, call, in.Message)
	if err != nil {
		return actions.Result{}, err
	}
	var played time.Duration
	ch, err := c.play(ctx, call, func(p *player.Player) error {
		data, err := c.Fetch(ctx, file)
		if err != nil {
			return fmt.Errorf("open %s: %w", chat.Literal(file.Label()), err)
		}
		sound, err := soundfile.Open(data)
		switch {
		case err != nil:
			return err
		case sound.Length > maxPlay:
			return fmt.Errorf("that file lasts %s; I play at most five minutes", chat.Lasting(sound.Length))
		}
		played, err = p.Play(ctx, sound)
		return err
	})
	return actions.Done(err, fmt.Sprintf("played %s (%s) in %s", chat.Literal(file.Label()), chat.Lasting(played), ch.Mention()))
}

// recording is the file of a message in the channel of the turn.
func (c *Category) recording(ctx context.Context, call actions.Call, ref chat.MessageRef) (chat.Attachment, error) {
	at, id := call.Origin.Place, ref.ID()
	var err error
	switch {
	case ref.Channel() != "" && ref.Channel() != at.Channel:
		return chat.Attachment{}, fmt.Errorf("that message is in %s; I only play files of this channel", ref.Channel().Mention())
	case ref == chat.Last:
		id, err = c.server.LatestOwn(ctx, at.Channel)
	case ref == "":
		id = at.Message
	}
	if err != nil {
		return chat.Attachment{}, err
	}
	if id == "" {
		return chat.Attachment{}, errors.New("say which message has the file")
	}
	m, err := c.server.Message(ctx, at.Channel, id)
	if err != nil {
		return chat.Attachment{}, err
	}
	files := m.Files()
	if i := slices.IndexFunc(files, playable); i >= 0 {
		return files[i], nil
	}
	if len(files) == 0 {
		return chat.Attachment{}, errors.New("that message has no file; it must have an .ogg or .wav file")
	}
	return chat.Attachment{}, soundfile.ErrFormat
}

// playable reports whether a file may be one that can be played; what is in it is known when it is opened.
func playable(file chat.Attachment) bool {
	declared, _, _ := mime.ParseMediaType(file.Type) // else by its name
	return slices.Contains([]string{"audio/ogg", "audio/opus", "audio/wav", "audio/x-wav", "audio/vnd.wave"}, declared) ||
		slices.Contains([]string{".ogg", ".oga", ".opus", ".wav"}, strings.ToLower(path.Ext(file.Name)))
}
