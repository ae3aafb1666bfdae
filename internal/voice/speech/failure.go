package speech

import (
	"errors"
	"fmt"
	"net/http"

	api "github.com/sashabaranov/go-openai"
)

// A Failure is the reason why there is no recording. It never quotes the server, which may quote the key.
type Failure struct {
	What   string // for people
	Remedy string // for operators; may be empty
	Unpaid bool   // it has certainly cost nothing
}

func (f *Failure) Error() string { return f.What }

// A refusal is an error by its status.
type refusal int

func (r refusal) Error() string { return fmt.Sprintf("status %d", int(r)) }

// settings are the names of those of a provider.
type settings struct{ key, choice, server string }

func (s *Service) settings() settings {
	switch s.Provider {
	case Cartesia:
		return settings{"CARTESIA_API_KEY", "CARTESIA_VOICE_ID and CARTESIA_MODEL", "that this machine may connect to api.cartesia.ai"}
	case Deepgram:
		return settings{"DEEPGRAM_API_KEY", "DEEPGRAM_TTS_VOICE and DEEPGRAM_TTS_SPEED", "that this machine may connect to api.deepgram.com"}
	}
	return settings{"DISCOCLAW_TTS_API_KEY", "DISCOCLAW_TTS_MODEL and DISCOCLAW_TTS_VOICE", "DISCOCLAW_TTS_BASE_URL"}
}

// odd is the failure that what came is no speech.
func (s *Service) odd() *Failure {
	return &Failure{What: "what the server for speech sent is no recording", Remedy: "check " + s.settings().server}
}

// failure describes an error by its status.
func (s *Service) failure(err error) *Failure {
	known, ok := errors.AsType[*Failure](err)
	if ok {
		return known
	}
	refused, failed, status := (*api.APIError)(nil), (*api.RequestError)(nil), refusal(0)
	switch {
	case errors.As(err, &refused):
		status = refusal(refused.HTTPStatusCode)
	case errors.As(err, &failed):
		status = refusal(failed.HTTPStatusCode)
	default:
		_ = errors.As(err, &status) // else it is 0
	}
	of := s.settings()
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &Failure{What: "the server for speech did not accept my key", Remedy: "check " + of.key, Unpaid: true}
	case status == http.StatusPaymentRequired:
		return &Failure{What: "the account for speech has no credit left", Remedy: "add some to the account of " + of.key, Unpaid: true}
	case status == http.StatusTooManyRequests:
		return &Failure{What: "the server for speech takes no more for now; try again a little later", Unpaid: true}
	case status == 0:
		return &Failure{What: "the server for speech could not be used", Remedy: "check " + of.server}
	case status < http.StatusInternalServerError:
		return &Failure{What: fmt.Sprintf("the server for speech refused it (status %d)", status), Remedy: "check " + of.choice, Unpaid: true}
	}
	return &Failure{What: fmt.Sprintf("the server for speech failed (status %d); try again a little later", status)}
}
