package forum

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// A TagMap is the file that maps names to the IDs of tags. It is read again when it has changed.
type TagMap struct {
	Path string // may be empty

	mu    sync.Mutex
	read  time.Time         // the file's time when it was read
	named map[string]string // IDs by name
}

// maxTagMap is how large the file may be; a forum has 20 tags.
const maxTagMap = 64 << 10

// Reload reads the file, unless it is as it was and need not be. If it is damaged, the old map stays.
func (m *TagMap) Reload(always bool) (before, now map[string]string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before = m.named
	info, err := os.Stat(m.Path)
	if errors.Is(err, fs.ErrNotExist) || m.Path == "" {
		m.named, m.read = nil, time.Time{}
		return before, nil, nil
	}
	if err != nil || info.ModTime().Equal(m.read) && !always {
		return before, before, err
	}
	named, err := readTagMap(m.Path, info.Size())
	if err != nil {
		return before, before, err
	}
	m.named, m.read = named, info.ModTime()
	return before, named, nil
}

func readTagMap(path string, size int64) (map[string]string, error) {
	if size > maxTagMap {
		return nil, fmt.Errorf("the tag map has %d bytes, and %d are the most", size, maxTagMap)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var named map[string]string
	if err := json.Unmarshal(data, &named); err != nil || named == nil {
		return nil, errors.New(`the tag map is not a JSON object of tag IDs such as {"bug": "1090000000000000000"}`)
	}
	maps.DeleteFunc(named, func(_, id string) bool { return id == "" }) // a name without a tag yet
	return named, nil
}

// ReloadedWords says, for people, what reading the file again has changed. Before and now are the names in it.
func ReloadedWords(before, now []string) string {
	const shown = 10
	text := fmt.Sprintf("read the file of tags again: %s, before %d", chat.Counted(len(now), "tag", "tags"), len(before))
	if len(now) > 0 {
		text += " (" + chat.Literal(strings.Join(now[:min(shown, len(now))], ", ")) + ")"
	}
	return text
}

// A TagSet is what the tags of a forum mean.
type TagSet struct {
	Guild chat.GuildID
	Forum chat.ChannelID
	IDs   map[string]string // by name, in small letters
	Names map[string]string // by ID
}

// NewTagSet names the tags of a forum: as the map of IDs by name does, or else as the forum does.
func NewTagSet(forum chat.Channel, named map[string]string) TagSet {
	s := TagSet{Guild: forum.Guild, Forum: forum.ID, IDs: map[string]string{}, Names: map[string]string{}}
	for _, t := range forum.Tags {
		s.IDs[strings.ToLower(t.Name)] = t.ID
		s.Names[t.ID] = t.Name
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		id := named[name]
		if _, there := s.Names[id]; there { // a tag that was deleted stays in the file
			s.IDs[strings.ToLower(name)] = id
			s.Names[id] = name
		}
	}
	return s
}
