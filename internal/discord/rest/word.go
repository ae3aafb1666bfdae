package rest

import (
	"encoding/json"
	"net/http"
)

// A word is what Discord itself said about a request. Anything between the bot and Discord can answer in its place, such
// as Cloudflare or the login page of a network, and such an answer decides nothing.
type word int

const (
	none    word = iota // no response, an error of Discord's servers, or the answer of a proxy
	done                // it was carried out
	refused             // it was not, and would not be the next time either
)

// firstCode is the lowest of Discord's JSON error codes, apart from 0 for errors that have none of their own.
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
const firstCode = 10_000

// wordOf tells Discord's responses from those of others: Discord sends JSON or nothing, and with an error its code and a
// message. A 408 is never Discord's.
func wordOf(status int, body []byte) word {
	switch {
	case status >= 200 && status < 300 && (len(body) == 0 || json.Valid(body)):
		return done
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests && hasCode(body):
		return refused
	}
	return none
}

// refusesToken reports whether Discord refused the bot's token. The answer to an interaction has a token of its own in its
// address, which expires.
func (a answer) refusesToken(q Request) bool {
	return a.word == refused && a.status == http.StatusUnauthorized && !q.Interaction
}

func hasCode(body []byte) bool {
	var said struct {
		Code    *int    `json:"code"`
		Message *string `json:"message"`
	}
	if json.Unmarshal(body, &said) != nil || said.Code == nil || said.Message == nil {
		return false
	}
	return *said.Code == 0 || *said.Code >= firstCode
}
