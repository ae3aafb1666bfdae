package session

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/talk"
)

// payer is who pays for what is heard of, or said to, somebody.
func (r *room) payer(who chat.UserID) llm.Payer {
	return llm.Payer{User: string(who), Channel: string(r.at().Channel), Role: "voice"}
}

// payForHearing reserves money for sound that is to be recognised.
func (r *room) payForHearing(ctx context.Context, who chat.UserID, sound time.Duration) (settle func(used time.Duration), err error) {
	bought, err := r.o.Meter.BeginHearing(ctx, r.payer(who), r.o.Hearing, sound)
	if err != nil {
		return nil, forMembers(err)
	}
	return bought.Used, nil
}

// synthesise has a sentence spoken. It is not while the bot is muted: nobody would hear what is paid for.
func (r *room) synthesise(ctx context.Context, to chat.UserID, sentence string) (talk.Sound, error) {
	if now, _ := r.o.Where(r.guild); now.Mute {
		sentence = ""
	}
	if sentence == "" {
		return r.o.Speech.Sound(ctx, "") // which asks no server
	}
	bought, err := r.o.Meter.BeginSpeech(ctx, r.payer(to), r.o.Speaking, chat.Length(sentence))
	if err != nil {
		return nil, forMembers(err)
	}
	sound, err := r.o.Speech.Sound(ctx, sentence)
	if failed, ok := errors.AsType[*speech.Failure](err); ok && failed.Unpaid {
		bought.Unpaid()
	} else {
		bought.Made(0, false)
	}
	if err != nil { // a nil *Sound is no talk.Sound
		return nil, err
	}
	return sound, nil
}

// play says a sentence, and returns when it was said.
func (r *room) play(ctx context.Context, s talk.Sound) error {
	_, err := r.player.Play(ctx, s)
	return err
}

// forMembers is why a budget refuses something, for the people in the call.
func forMembers(err error) error {
	if refused, ok := errors.AsType[*llm.Error](err); ok {
		return errors.New(refused.ForMembers())
	}
	return err
}
