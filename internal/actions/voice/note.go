package voice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/spend"
	"discoclaw/internal/voice/speech"
)

// A VoiceNote posts a text as a recording.
type VoiceNote struct {
	Text  string `json:"text" alias:"content" doc:"What to say, as one would speak: no Markdown, no links." max:"2000"`
	Aloud bool   `json:"aloud,omitempty" doc:"Say it in the voice call that you are in, instead of posting it."`
}

const noteName = "voiceNote"

// Unavailable says that nothing can speak. The other actions need no server for that.
func (c *Category) Unavailable(action string) (why, remedy string) {
	if action != noteName || c.Speech != nil {
		return "", ""
	}
	return "I have no voice here", "set DISCOCLAW_TTS_BASE_URL to a server for speech"
}

// toPost are the rights that the requester and the bot must have in the channel of a voice note.
var toPost = []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.AttachFiles}

func (c *Category) voiceNote() *actions.Action {
	return actions.Define(actions.Spec[VoiceNote]{
		Name:     noteName,
		Aliases:  []string{"VOICE_MEMO", "SEND_VOICE", "SPEAK"},
		Summary:  "Say something in a recording that is posted here.",
		Sentence: "Post a voice note in {where} that says {text}[, {aloud?said aloud in my voice call instead|not in the call}]",
		Brief:    "a recording",
		Needs:    toPost,
		MayNeed:  []chat.Permission{chat.Connect, chat.Speak},
		Quiet:    true, // the recording is there
		Limit:    2 * speech.MaxTime,
		Examples: []VoiceNote{{Text: "Good morning! Two tasks are due today."}},
		Free:     func(_ actions.Call, in VoiceNote) bool { return !in.Aloud }, // it is a part of the answer
		AlsoNeeds: func(ctx context.Context, call actions.Call, in VoiceNote) ([]actions.Demand, error) {
			if !in.Aloud {
				return nil, nil
			}
			return c.demandsSpeech(ctx, call)
		},
		NeedsIn: func(_ context.Context, call actions.Call, _ VoiceNote) (chat.ChannelID, error) {
			_, err := guild(call)
			return call.Origin.Place.Channel, err
		},
		Do: c.doVoiceNote,
	})
}

// doVoiceNote posts a recording, or says it. If that cannot be, the text becomes a part of the reply: words are not lost for want of sound.
func (c *Category) doVoiceNote(ctx context.Context, call actions.Call, in VoiceNote) (actions.Result, error) {
	var at chat.Place
	var err error
	if in.Aloud {
		at.Channel, err = c.sayAloud(ctx, call, in.Text)
	} else {
		at, err = c.postNote(ctx, call, in.Text)
	}
	switch {
	case err == nil && in.Aloud:
		return actions.Result{Summary: "said it in " + at.Channel.Mention()}, nil
	case err == nil:
		call.Sent(at.Channel, at.Message)
		return actions.Result{Summary: fmt.Sprintf("posted [a recording](%s) in %s", at.Link(), at.Channel.Mention()), Undo: actions.TakeBack("a recording", at)}, nil
	case ctx.Err() != nil || call.Afterwards():
		return actions.Result{}, err
	}
	c.Log.WarnContext(ctx, "cannot post a voice note, so it is written", "channel", call.Origin.Place.Channel, "err", chat.ForOperators(err))
	return actions.Result{Reply: in.Text, Summary: fmt.Sprintf("wrote it into my reply instead of saying it, because %v", err)}, nil
}

func (c *Category) postNote(ctx context.Context, call actions.Call, text string) (chat.Place, error) {
	ch, err := c.server.ChannelByID(ctx, call.Origin.Place.Channel)
	if err != nil {
		return chat.Place{}, err
	}
	// All that can be known beforehand is checked before anything is paid for.
	if err := errors.Join(call.RequireText(ch, "recording"), c.server.CheckOwn(ch.ID, toPost...)); err != nil {
		return chat.Place{}, err
	}
	if !c.turns.Take(call.Origin.Turn, maxNotes) {
		return chat.Place{}, errTooMany
	}
	at := ch.Place()
	err = call.Paced(ctx, c.server, ch, func() error {
		made, err := c.speak(ctx, call.Origin, text)
		if err != nil {
			return err
		}
		at.Message, err = c.server.Send(ctx, ch.ID, chat.Outgoing{Files: []chat.File{{
			Name: "voice-note." + made.Ending, Type: made.Type, Alt: chat.Clip(text, maxAlt),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(made.Data)), nil },
		}}})
		return err
	})
	return at, err
}

// maxNotes is how many voice notes a turn may have, since each is paid for.
const maxNotes = 5

var errTooMany = fmt.Errorf("I say at most %d things per request", maxNotes)

// maxAlt is how much of a text describes the recording to people who do not hear it. Discord takes 1024 characters;
// see https://discord.com/developers/docs/resources/message#attachment-object.
const maxAlt = 1000

// speak has a text spoken, within the budgets.
func (c *Category) speak(ctx context.Context, o actions.Origin, text string) (made speech.Recording, err error) {
	err = c.pay(ctx, o, text, func() error {
		made, err = c.Speech.Say(ctx, text)
		return err
	})
	return made, err
}

// pay pays for a text that is spoken, unless the budgets are used up.
func (c *Category) pay(ctx context.Context, o actions.Origin, text string, speak func() error) error {
	payer := llm.Payer{User: string(o.Requester), Channel: string(o.Place.Channel), Job: o.Job, Turn: string(o.Turn), Role: "voice-note"}
	record, err := c.Meter.BeginSpeech(ctx, payer, spend.Service{Model: c.Speech.Model, Local: c.Local}, chat.Length(text))
	if refused, ok := errors.AsType[*llm.Error](err); ok {
		return chat.WithRemedy(errors.New(refused.ForMembers()), refused.Remedy)
	}
	if err != nil {
		return err
	}
	err = speak()
	failed, ok := errors.AsType[*speech.Failure](err)
	if ok && failed.Unpaid {
		record.Unpaid()
	} else {
		record.Made(0, false)
	}
	if ok && failed.Remedy != "" {
		err = chat.WithRemedy(err, failed.Remedy)
	}
	return err
}
