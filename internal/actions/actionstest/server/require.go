package server

import (
	"slices"
	"strings"

	"discoclaw/internal/actions"
)

// Require runs a request of a member and compares its line.
func (w *Server) Require(who, payload, want string) actions.Outcome {
	w.t.Helper()
	return w.compare("", who, payload, want)
}

// RequireCase is Require for a table of named cases, since a bubble has no subtests.
func (w *Server) RequireCase(name, who, payload, want string) {
	w.t.Helper()
	w.compare(name+": ", who, payload, want)
}

func (w *Server) compare(label, who, payload, want string) actions.Outcome {
	w.t.Helper()
	out := w.Do(who, payload)[0]
	if got, want := out.Told(), w.WithIDs(want); got != want {
		w.t.Errorf("%s%q asks for %s\n got %s\nwant %s", label, who, payload, got, want)
	}
	return out
}

// RequirePart compares parts of a line, and returns all of it.
func (w *Server) RequirePart(who, payload string, parts ...string) string {
	w.t.Helper()
	got := w.Run(who, payload)[0]
	for _, part := range parts {
		if part = w.WithIDs(part); !strings.Contains(got, part) {
			w.t.Errorf("%q asks for %s\n got %s\nwant it to contain %s", who, payload, got, part)
		}
	}
	return got
}

// RequireShort compares the line that people see of a query, and the channels it is about.
func (w *Server) RequireShort(who, payload, want string, from ...string) {
	w.t.Helper()
	outs := w.Do(who, payload)
	if got, want := strings.Join(actions.Lines(outs), "\n"), w.WithIDs("-# Done: "+want); got != want {
		w.t.Errorf("%q asks for %s\n got %s\nwant %s", who, payload, got, want)
	}
	var about []string
	for _, ch := range outs[0].Result.From {
		about = append(about, string(ch))
	}
	if want := w.WithIDs(strings.Join(from, " ")); strings.Join(about, " ") != want {
		w.t.Errorf("%s is about %q, want %q", payload, about, want)
	}
}

// WithIDs replaces {name} of channels and members, {@name} of roles, {bot} and {server} with IDs. It
// also knows names that existed at an earlier call.
func (w *Server) WithIDs(text string) string {
	w.t.Helper()
	w.ids["{bot}"], w.ids["{server}"] = string(w.UserID("bot")), string(w.GuildID())
	for _, m := range slices.Backward(w.Members()) {
		w.ids["{"+m.Name+"}"] = string(m.ID)
	}
	for _, r := range slices.Backward(w.Roles()) {
		w.ids["{@"+r.Name+"}"] = string(r.ID)
	}
	for _, ch := range slices.Backward(w.Channels()) { // of two with the same name, the first counts
		w.ids["{"+ch.Name+"}"] = string(ch.ID)
	}
	delete(w.ids, "{}") // a direct message channel has no name
	for name, id := range w.ids {
		text = strings.ReplaceAll(text, name, id)
	}
	return text
}
