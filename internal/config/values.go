package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"discoclaw/internal/chat"
)

// A Secret is a value that must not be shown. However it is printed, logged or encoded, it
// reads "***".
type Secret struct {
	// A pointer, because fmt reads unexported fields without calling String.
	value *string
}

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{value: &value} }

// Reveal returns the value, or nothing if it is not set.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

const hidden = "***"

func (s Secret) String() string {
	if s.value == nil {
		return ""
	}
	return hidden
}

func (s Secret) GoString() string             { return s.String() }
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(s.String()) }

// An ID is a Discord snowflake, or empty.
type ID string

// parseID refuses invalid IDs: there is no safe guess for a single one.
func parseID(_ Variable, text string) (any, error) {
	if !chat.IsID(text) {
		return nil, fmt.Errorf("%s is not a Discord ID (15 to 20 digits)", quote(text))
	}
	return ID(text), nil
}

// parseText expands the home directory in paths. A shell does that, but no shell reads the settings file.
func parseText(v Variable, text string) (any, error) {
	below, found := strings.CutPrefix(text, "~/")
	if !v.Path || !found {
		return text, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("%s begins with the home directory, which is not known here (%w); write the whole path", quote(text), err)
	}
	return filepath.Join(home, below), nil
}

// A URL is the address of a server, or empty.
type URL string

func parseURL(_ Variable, text string) (any, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%s is not an address such as https://example.com/v1", quote(text))
	}
	if u.User != nil {
		return nil, errors.New("an address must not contain a password")
	}
	if u.RawQuery != "" { // people read addresses in logs and reports
		return nil, errors.New("an address must not contain a query, such as ?key=; keys have variables of their own")
	}
	return URL(text), nil
}

// travelsOpenly reports whether requests there can be read on the way.
func (u URL) travelsOpenly() bool {
	parsed, err := url.Parse(string(u))
	return err == nil && parsed.Scheme == "http" && !u.Local()
}

// lacksVersion reports whether no part of the path is a version, such as v1.
func (u URL) lacksVersion() bool {
	parsed, err := url.Parse(string(u))
	return u != "" && err == nil && !slices.ContainsFunc(strings.Split(parsed.Path, "/"), func(part string) bool {
		return len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9'
	})
}

// Local reports whether the server is on this machine.
func (u URL) Local() bool {
	parsed, err := url.Parse(string(u))
	return err == nil && isLoopback(parsed.Hostname())
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Hosts are names of servers, with a port unless it is the default one.
type Hosts []string

func parseHosts(_ Variable, text string) (any, error) {
	hosts := Hosts{}
	for entry := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		u, err := url.Parse("https://" + entry)
		if err != nil || u.Host != entry || u.Hostname() == "" {
			return nil, fmt.Errorf("%s is not a host such as files.example.com", quote(entry))
		}
		hosts = append(hosts, entry)
	}
	return hosts, nil
}

// A Choice is one of a few words.
type Choice string

func parseChoice(v Variable, text string) (any, error) {
	if i := slices.IndexFunc(v.Enum, func(word string) bool { return strings.EqualFold(word, text) }); i >= 0 {
		return Choice(v.Enum[i]), nil
	}
	return nil, fmt.Errorf("%s is not one of %s", quote(text), strings.Join(v.Enum, ", "))
}

// Choices are models, one after another.
type Choices []string

func parseChoices(text string) Choices {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// A Model is a tier or a model's name, or empty.
type Model string

func parseModel(_ Variable, text string) (any, error) {
	if strings.ContainsFunc(text, unicode.IsSpace) {
		return nil, fmt.Errorf("%s is not a model's name, which has no white space", quote(text))
	}
	return Model(text), nil
}

// IDs is a list that knows whether it was set: an empty list that was set allows nothing,
// unlike an unset one.
type IDs struct {
	set   bool
	valid []ID
}

// Set reports whether the variable had any value.
func (l IDs) Set() bool { return l.set }

// Valid are the entries.
func (l IDs) Valid() []ID { return l.valid }

// noIDs is an empty list.
const noIDs = "none"

// parseIDs splits on commas and white space.
func parseIDs(_ Variable, text string) (any, error) {
	list := IDs{set: true}
	if strings.EqualFold(text, noIDs) {
		return list, nil
	}
	var invalid []string
	for entry := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		if chat.IsID(entry) {
			list.valid = append(list.valid, ID(entry))
		} else {
			invalid = append(invalid, quote(entry))
		}
	}
	if len(invalid) > 0 {
		return nil, fmt.Errorf("not a Discord ID (15 to 20 digits): %s; for an empty list, write %s", strings.Join(invalid, ", "), noIDs)
	}
	return list, nil
}

// protectedNames are patterns of settings that cannot be changed from Discord, with the reason.
// They apply even if the setting's tag says that it is editable.
var protectedNames = []struct {
	has func(name string) bool
	why string
}{
	{is("DISCORD_TOKEN"), "it decides which bot I am"},
	{ends("_IDS", "_ID", "_ALLOWLIST", "_REQUIRE_CHANNEL_CONTEXT"), "it decides whom I answer, and where"},
	{ends("_URL", "_HOST", "_HOSTS", "_PROXY", "_ADDR"), "it decides where I send what people write, and my keys"},
	{ends("_BIN", "_CMD", "_DIR", "_CWD", "_PATH", "_FILE"), "it decides which programs and files of its computer I use"},
	{ends("_TOOLS"), "it decides what the model may do"},
	{func(name string) bool { return strings.Contains(name, "_DANGEROUSLY_") }, "it removes a protection"},
	{func(name string) bool { return strings.HasPrefix(name, "DISCOCLAW_DISCORD_ACTIONS") }, "it decides what I may do"},
}

func is(whole string) func(string) bool { return func(name string) bool { return name == whole } }

func ends(with ...string) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(name, end) })
	}
}

// Locked returns why a setting cannot be changed from Discord; empty if it can.
func (v Variable) Locked() string {
	for _, b := range protectedNames {
		if b.has(v.Name) {
			return b.why
		}
	}
	if v.Editable {
		return ""
	}
	return "it decides what I may do"
}

// Nearest is the name that was probably meant, or nothing if none is within three edits. A
// wrong guess is worse than none.
func Nearest(name string, known []string) string {
	best, distance := "", min(max(len(name)/4, 1), 3)+1
	for _, k := range known {
		if d := chat.Slips(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// Zone is the time zone in which the bot thinks. It is [time.Local] only if the name of the machine's is not known.
func (c Chat) Zone() *time.Location {
	if zone, err := time.LoadLocation(c.Timezone); err == nil && c.Timezone != "" && zone != time.Local {
		return zone
	}
	return systemZone()
}

// ZoneName is what people and models are told of it.
func (c Chat) ZoneName() string {
	if zone := c.Zone(); zone != time.Local || zone.String() != "Local" {
		return zone.String()
	}
	return time.Now().Format("UTC-07:00")
}

var systemZone = sync.OnceValue(func() *time.Location {
	link, _ := os.Readlink("/etc/localtime") // is a copy on some machines
	return named(time.Local, link)
})

// named returns a local time zone by the name that it has itself or in a path, since what is stored of it must mean the same
// elsewhere.
func named(local *time.Location, path string) *time.Location {
	for _, name := range []string{local.String(), path} {
		if _, after, ok := strings.Cut(name, "zoneinfo/"); ok {
			name = after
		}
		if zone, err := time.LoadLocation(name); err == nil && name != "" && zone != time.Local {
			return zone
		}
	}
	return local
}
