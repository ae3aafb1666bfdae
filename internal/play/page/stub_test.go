package page_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/play/page"
	"discoclaw/internal/test/skip"
)

// object is a JSON object of the API.
type object = map[string]any

// A stub serves the page and as much of the API as the page needs: it stores messages,
// streams changes, and can be made to fail. It checks no rights; the real API has its own
// tests.
type stub struct {
	*httptest.Server

	mu       sync.Mutex
	next     int
	people   []object
	channels []object
	messages map[string][]object
	streams  map[chan string]bool
	down     bool              // it does not respond
	refusals map[string]string // "METHOD path suffix" → error
	asked    []string          // "METHOD path as=…" of every request that changes something
	press    func(button string) (string, error)
	commands []object
	run      func(command string) error
	suggest  func(command string) []string
	entries  []string // in the menus of messages
	form     object   // what they lead to
	submit   func(values map[string]string) error
	about    object
	choose   func(choice map[string]string) (object, error) // of a model
	clock    object
	bot      object
	ideas    []object
}

const firstID = 100000000000000000

// Fixed IDs of the stub's world.
var (
	youID, samID, botID          = id(1), id(2), id(3)
	generalID, opsID, forumID    = id(11), id(12), id(13)
	postID, threadID, categoryID = id(14), id(15), id(16)
	guildID, roleID              = id(0), id(17)
)

func id(n int) string { return strconv.Itoa(firstID + n) }

func newStub(t *testing.T) *stub {
	t.Helper()
	skip.UnderRace(t, "the page runs in the browser, and the stub is there for these tests alone")
	s := &stub{
		next: 1000, messages: map[string][]object{}, streams: map[chan string]bool{}, refusals: map[string]string{},
		about: object{"speaker": "a scripted demo; no model is asked", "demo": true, "version": "v0.1", "as": "you"},
		clock: object{"aheadMs": 0, "jobs": []object{}},
		bot:   object{"own": false, "state": "alive", "why": "", "kept": []object{}},
		people: []object{
			{"id": youID, "name": "you", "bot": false, "owner": true, "note": "owns the server and may do everything"},
			{"id": samID, "name": "sam", "bot": false, "owner": false, "note": "may write, but not in #ops"},
			{"id": botID, "name": "DiscoClaw", "bot": true, "owner": false, "note": ""},
		},
		channels: []object{
			channelOf(generalID, "general", "text", "", 0),
			channelOf(categoryID, "Work", "category", "", 1),
			channelOf(opsID, "ops", "text", categoryID, 0),
			channelOf(forumID, "questions", "forum", categoryID, 1),
			channelOf(postID, "How do I start?", "thread", forumID, 0),
			channelOf(threadID, "Launch plan", "thread", generalID, 0),
		},
		press:   func(string) (string, error) { return "", nil },
		run:     func(string) error { return nil },
		suggest: func(string) []string { return nil },
		submit:  func(map[string]string) error { return nil },
	}
	s.channels[0]["topic"] = "Say hello to **DiscoClaw**"
	mux := http.NewServeMux()
	mux.Handle("/", page.Handler())
	mux.HandleFunc("/api/", s.api)
	mux.HandleFunc("/attachments/", serveAttachment)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.cut()
		s.Close()
	})
	return s
}

func channelOf(id, name, kind, parent string, position int) object {
	return object{
		"id": id, "name": name, "kind": kind, "parent": parent, "position": position, "topic": "", "archived": false, "canSend": true,
		"messages": 0, "last": "", "tags": []object{}, "appliedTags": []string{}, "inside": []string{}, "canEnter": false,
	}
}

// serveAttachment serves one small picture.
func serveAttachment(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if !strings.HasSuffix(r.URL.Path, ".png") {
		w.Header().Set("Content-Disposition", "attachment")
		_, _ = io.WriteString(w, "text")
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(picture())
}

// api responds as the API does.
func (s *stub) api(w http.ResponseWriter, r *http.Request) {
	if s.refuses(w, r) {
		return
	}
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/"), "/")
	switch {
	case path[0] == "events":
		s.stream(w, r)
	case path[0] == "world":
		s.world(w, r)
	case path[0] == "about":
		s.answer(w, s.about)
	case path[0] == "models" && r.Method == http.MethodGet:
		s.answer(w, object{"found": []string{"Ollama: tiny"}, "vendors": []string{"OpenAI"}, "demo": true})
	case path[0] == "models":
		s.choice(w, r)
	case path[0] == "trouble": // so that the only buttons are those of messages
		w.WriteHeader(http.StatusNoContent)
	case path[0] == "bot":
		s.pull(r)
		s.answer(w, s.bot)
	case path[0] == "clock":
		s.answer(w, s.clock)
	case path[0] == "ideas":
		s.answer(w, object{"ideas": s.ideas})
	case len(path) == 3 && path[2] == "messages" && r.Method == http.MethodGet:
		s.list(w, r, path[1])
	case len(path) == 3 && path[2] == "messages":
		s.post(w, r, path[1])
	case len(path) == 3 && path[2] == "threads":
		s.startThread(w, r, path[1])
	case len(path) >= 3 && path[2] == "commands":
		s.command(w, r)
	case len(path) == 3 && path[2] == "forms":
		s.submitted(w, r)
	case len(path) == 4 && r.Method == http.MethodPatch:
		var in struct{ Content string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		s.answer(w, s.change(path[1], path[3], object{"content": in.Content, "edited": true}))
	case len(path) == 4:
		s.remove(path[1], path[3])
		w.WriteHeader(http.StatusNoContent)
	case path[4] == "reactions":
		s.react(path[1], path[3], path[5], r.Method == http.MethodPut)
		w.WriteHeader(http.StatusNoContent)
	case path[4] == "press":
		s.pressed(w, r)
	case path[4] == "commands":
		s.answer(w, object{"form": s.form})
	}
}

// refuses ends a request that a rule refuses.
func (s *stub) refuses(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		panic(http.ErrAbortHandler)
	}
	if r.Header.Get("X-Discoclaw") != "play" {
		writeError(w, http.StatusForbidden, "the header is missing")
		return true
	}
	if r.Method != http.MethodGet {
		s.asked = append(s.asked, r.Method+" "+r.URL.Path+" as="+r.URL.Query().Get("as"))
	}
	for rule, reason := range s.refusals {
		method, suffix, _ := strings.Cut(rule, " ")
		if r.Method == method && strings.HasSuffix(r.URL.Path, suffix) {
			writeError(w, http.StatusForbidden, reason)
			return true
		}
	}
	return false
}

func writeError(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"error": text})
}

func (s *stub) answer(w http.ResponseWriter, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (s *stub) person(as string) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.people {
		if p["name"] == as || p["id"] == as {
			return p
		}
	}
	return nil
}

func (s *stub) world(w http.ResponseWriter, r *http.Request) {
	me := s.person(r.URL.Query().Get("as"))
	if me == nil {
		writeError(w, http.StatusNotFound, "there is nobody of that name")
		return
	}
	s.answer(w, object{"guild": object{"id": guildID, "name": "Playground"}, "me": me, "people": s.people, "channels": s.seenBy(me), "roles": []object{{"id": roleID, "name": "crew"}}})
}

// seenBy are the channels; only the owner can write in #ops.
func (s *stub) seenBy(me object) []object {
	s.mu.Lock()
	defer s.mu.Unlock()
	var seen []object
	for _, c := range s.channels {
		c = maps.Clone(c)
		if c["id"] == opsID {
			c["canSend"] = me["owner"]
		}
		seen = append(seen, c)
	}
	return seen
}

func (s *stub) list(w http.ResponseWriter, r *http.Request, channel string) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit > 100 {
		writeError(w, http.StatusBadRequest, "the limit is wrong")
		return
	}
	s.mu.Lock()
	all := slices.Clone(s.messages[channel])
	s.mu.Unlock()
	if before := r.URL.Query().Get("before"); before != "" {
		end, _ := slices.BinarySearchFunc(all, before, func(m object, id string) int { return strings.Compare(m["id"].(string), id) })
		all = all[:end]
	}
	start := max(0, len(all)-limit)
	s.answer(w, object{"messages": append([]object{}, all[start:]...), "more": start > 0})
}

func (s *stub) post(w http.ResponseWriter, r *http.Request, channel string) {
	var in struct{ Content, ReplyTo string }
	var files []object
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		_ = r.ParseMultipartForm(1 << 20)
		_ = json.Unmarshal([]byte(r.FormValue("payload")), &in)
		for _, f := range r.MultipartForm.File["files"] {
			files = append(files, object{"name": f.Filename, "type": f.Header.Get("Content-Type"), "size": f.Size, "url": "/attachments/1/2/" + f.Filename})
		}
	} else {
		_ = json.NewDecoder(r.Body).Decode(&in)
	}
	more := object{}
	if files != nil {
		more["attachments"] = files
	}
	if in.ReplyTo != "" {
		more["replyTo"] = object{"id": in.ReplyTo, "author": "somebody", "excerpt": "what was said"}
	}
	s.answer(w, s.say(r.URL.Query().Get("as"), channel, in.Content, more))
}

func (s *stub) startThread(w http.ResponseWriter, r *http.Request, channel string) {
	var in struct{ Name, Message, Content string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	s.mu.Lock()
	s.next++
	thread := channelOf(id(s.next), in.Name, "thread", channel, 0)
	s.channels = append(s.channels, thread)
	s.mu.Unlock()
	s.publish("channel", thread)
	if in.Content != "" {
		s.say(r.URL.Query().Get("as"), thread["id"].(string), in.Content, nil)
	}
	s.answer(w, thread)
}

func (s *stub) pressed(w http.ResponseWriter, r *http.Request) {
	var in struct{ Button string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	text, err := s.press(in.Button)
	if err != nil {
		writeError(w, http.StatusGatewayTimeout, err.Error())
		return
	}
	s.answer(w, object{"text": text})
}

func (s *stub) submitted(w http.ResponseWriter, r *http.Request) {
	var in struct{ Values map[string]string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	if err := s.submit(in.Values); err != nil {
		writeError(w, http.StatusGatewayTimeout, err.Error())
		return
	}
	s.answer(w, object{"text": ""})
}

// choice has another model speak.
func (s *stub) choice(w http.ResponseWriter, r *http.Request) {
	var in map[string]string
	_ = json.NewDecoder(r.Body).Decode(&in)
	about, err := s.choose(in)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	s.answer(w, about)
}

// command lists the slash commands, uses one, or suggests values.
func (s *stub) command(w http.ResponseWriter, r *http.Request) {
	var in struct{ Command string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	switch {
	case r.Method == http.MethodGet:
		s.mu.Lock()
		entries := append([]string{}, s.entries...)
		s.mu.Unlock()
		s.answer(w, object{"commands": append([]object{}, s.commands...), "onMessages": entries})
	case strings.HasSuffix(r.URL.Path, "/suggestions"):
		s.answer(w, object{"suggestions": append([]string{}, s.suggest(in.Command)...)})
	default:
		if err := s.run(in.Command); err != nil {
			writeError(w, http.StatusGatewayTimeout, err.Error())
			return
		}
		s.answer(w, object{"text": ""})
	}
}

// say posts a message of a member, with further fields.
func (s *stub) say(who, channel, content string, more object) object {
	author := s.person(who)
	s.mu.Lock()
	s.next++
	m := s.message(id(s.next), channel, author, content, time.Now())
	m["mentionsYou"] = strings.Contains(content, "<@"+youID+">")
	maps.Copy(m, more)
	s.messages[channel] = append(s.messages[channel], m)
	for _, c := range s.channels {
		if c["id"] == channel {
			c["last"], c["messages"] = m["id"], c["messages"].(int)+1
		}
	}
	s.mu.Unlock()
	s.publish("message", m)
	return m
}

func (s *stub) message(id, channel string, author object, content string, at time.Time) object {
	return object{
		"id": id, "channel": channel, "author": author, "system": "", "content": content, "time": at.UTC(), "edited": false, "onlyYou": false, "mentionsYou": false,
		"loading": false, "replyTo": nil, "attachments": []object{}, "embeds": []object{}, "buttons": [][]object{}, "reactions": []object{},
		"pinned": false, "thread": "", "poll": nil,
	}
}

// fill puts n messages into a channel at once.
func (s *stub) fill(channel string, n int) {
	people := []object{s.person("you"), s.person("DiscoClaw")}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range n {
		s.next++
		text := fmt.Sprintf("message %d", i)
		if i%7 == 0 {
			text += strings.Repeat(" with more words that need several lines", i%40)
		}
		s.messages[channel] = append(s.messages[channel], s.message(id(s.next), channel, people[i/3%2], text, time.Now().Add(time.Duration(i-n)*time.Minute)))
	}
	for _, c := range s.channels {
		if c["id"] == channel {
			c["last"], c["messages"] = id(s.next), n
		}
	}
}

// pull kills the bot or starts it again, if that is what a request says.
func (s *stub) pull(r *http.Request) {
	in := struct{ Alive bool }{}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&in) != nil {
		return
	}
	s.live(map[bool]string{true: "alive", false: "dead"}[in.Alive], object{})
}

// live changes how the bot is.
func (s *stub) live(state string, fields object) {
	s.mu.Lock()
	s.bot = maps.Clone(s.bot)
	s.bot["state"], s.bot["why"] = state, ""
	maps.Copy(s.bot, fields)
	s.mu.Unlock()
	s.publish("bot", object{})
}

// change changes fields of a message.
func (s *stub) change(channel, message string, fields object) object {
	s.mu.Lock()
	var changed object
	for i, m := range s.messages[channel] {
		if m["id"] == message {
			changed = maps.Clone(m)
			maps.Copy(changed, fields)
			s.messages[channel][i] = changed
		}
	}
	s.mu.Unlock()
	s.publish("message", changed)
	return changed
}

func (s *stub) react(channel, message, emoji string, on bool) {
	reactions := []object{}
	if on {
		reactions = append(reactions, object{"emoji": emoji, "count": 1, "mine": true, "who": []string{"you"}})
	}
	s.change(channel, message, object{"reactions": reactions})
}

func (s *stub) remove(channel, message string) {
	s.mu.Lock()
	s.messages[channel] = slices.DeleteFunc(s.messages[channel], func(m object) bool { return m["id"] == message })
	s.mu.Unlock()
	s.publish("gone", object{"channel": channel, "id": message})
}

// stream sends events until the reader or the stub ends it.
func (s *stub) stream(w http.ResponseWriter, r *http.Request) {
	if s.person(r.URL.Query().Get("as")) == nil {
		writeError(w, http.StatusNotFound, "there is nobody of that name")
		return
	}
	events := make(chan string, 1000)
	s.mu.Lock()
	s.streams[events] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.streams, events)
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ": welcome\n\nevent: hello\nid: 0\ndata: {}\n\n")
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case event, open := <-events:
			if !open {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(w, event)
		}
	}
}

// publish sends an event to all streams.
func (s *stub) publish(event string, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	for events := range s.streams {
		events <- fmt.Sprintf("event: %s\nid: 1\ndata: %s\n\n", event, text)
	}
}

// cut ends all streams.
func (s *stub) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for events := range s.streams {
		close(events)
		delete(s.streams, events)
	}
}

// setDown makes the stub unreachable, or reachable again.
func (s *stub) setDown(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.cut()
	}
}

// refuse answers "METHOD end of a path" with an error, until allow.
func (s *stub) refuse(rule, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[rule] = reason
}

func (s *stub) allow(rule string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refusals, rule)
}

// requests returns the recorded requests with a prefix.
func (s *stub) requests(prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for _, r := range s.asked {
		if strings.HasPrefix(r, prefix) {
			found = append(found, r)
		}
	}
	return found
}

// contents are the texts of a channel's messages.
func (s *stub) contents(channel string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range s.messages[channel] {
		all = append(all, m["content"].(string))
	}
	return all
}
