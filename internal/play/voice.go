package play

import (
	"encoding/json"
	"net/http"
	"slices"
	"unicode/utf8"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
)

// The settings of services that hear people, and that speak. With one of them, the bot uses that service.
var (
	hearing  = []string{"DISCOCLAW_STT_PROVIDER", "DISCOCLAW_STT_BASE_URL", "DEEPGRAM_API_KEY"}
	speaking = []string{"DISCOCLAW_TTS_PROVIDER", "DISCOCLAW_TTS_BASE_URL", "CARTESIA_API_KEY", "DEEPGRAM_API_KEY"}
)

// talks lets the bot talk in calls, by the playground's own speech service where the settings name no other.
func talks(env config.Env, service string) {
	for _, name := range []string{"DISCOCLAW_VOICE_ENABLED", "DISCOCLAW_DISCORD_ACTIONS_VOICE"} {
		if !env.Has(name) {
			env[name] = "1"
		}
	}
	if !slices.ContainsFunc(hearing, env.Has) {
		env["DISCOCLAW_STT_BASE_URL"] = service
	}
	if !slices.ContainsFunc(speaking, env.Has) {
		env["DISCOCLAW_TTS_BASE_URL"] = service
	}
}

// A voiceRecord is how people talk with the bot.
type voiceRecord struct {
	Typed    bool `json:"typed"`    // it hears what they type
	Captions bool `json:"captions"` // they read what it says
}

// voice is null where there is no sound.
func (s *site) voice() *voiceRecord {
	if s.host.calls == nil {
		return nil
	}
	return &voiceRecord{!slices.ContainsFunc(hearing, s.setting), !slices.ContainsFunc(speaking, s.setting)}
}

// caller is who a request about calls is for. Otherwise the request is refused.
func (s *site) caller(w http.ResponseWriter, r *http.Request, in any) (fakediscord.Member, bool) {
	m, found := s.world.Member(r.URL.Query().Get("as"))
	switch {
	case s.host.calls == nil:
		refuse(w, http.StatusConflict, "there is no sound here: the bot is no process of its own")
	case !found || m.Bot || m.Left:
		refuse(w, http.StatusNotFound, "there is nobody of that name; name a member with as=NAME")
	case json.NewDecoder(http.MaxBytesReader(w, r.Body, 8*longestSaid)).Decode(in) != nil:
		refuse(w, http.StatusBadRequest, "the request is not the JSON that belongs here")
	default:
		return m, true
	}
	return m, false
}

// sound is the handler of GET /api/voice/sound, a websocket. A browser cannot send the header of the API with it; the key, and the check of
// its origin, are enough.
func (s *site) sound(w http.ResponseWriter, r *http.Request) {
	m, found := s.world.Member(r.URL.Query().Get("as"))
	if s.host.calls == nil || !found || m.Bot {
		refuse(w, http.StatusNotFound, "there is no call of that member here")
		return
	}
	s.host.calls.Sound(w, r, m.ID)
}

// enter is the handler of POST /api/voice: somebody enters a voice channel, or leaves theirs.
func (s *site) enter(w http.ResponseWriter, r *http.Request) {
	var in struct{ Channel chat.ChannelID }
	m, ok := s.caller(w, r, &in)
	if !ok {
		return
	}
	var err error
	if in.Channel == "" {
		err = s.world.LeaveVoice(string(m.ID))
	} else if view, _ := s.world.ViewOf(string(m.ID)); !mayEnter(view, in.Channel) {
		refuse(w, http.StatusForbidden, "you may not enter this channel, or it is full")
		return
	} else {
		err = s.world.EnterVoice(string(m.ID), string(in.Channel))
	}
	if err != nil {
		refuse(w, http.StatusConflict, err.Error())
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func mayEnter(v fakediscord.View, id chat.ChannelID) bool {
	ch, seen := v.Channel(id)
	return seen && ch.CanEnter
}

// longestSaid is how many characters one can say at a time: a minute of speech.
const longestSaid = 1000

// say is the handler of POST /api/voice/say. It answers when the words were said.
func (s *site) say(w http.ResponseWriter, r *http.Request) {
	var in struct{ Text string }
	m, ok := s.caller(w, r, &in)
	if !ok {
		return
	}
	words := chat.OneLine(in.Text)
	switch {
	case !s.voice().Typed:
		refuse(w, http.StatusConflict, "a real service listens here, which understands no typed text; use the microphone")
	case words == "":
		refuse(w, http.StatusBadRequest, "say something")
	case utf8.RuneCountInString(words) > longestSaid:
		refuse(w, http.StatusBadRequest, "that is too long to be said at once; say it in parts")
	default:
		if err := s.host.calls.Say(r.Context(), m.ID, words); err != nil {
			refuse(w, http.StatusConflict, err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
