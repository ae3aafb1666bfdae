package doc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"discoclaw/internal/chat"
)

// ID names a plan: plan-007. Other forms become this one in ParseID.
type ID string

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:plan-)?0*([1-9]\d{0,8})$`) })

// ParseID reads the forms in which people write an ID: plan-007, plan-7, 007 and 7.
func ParseID(text string) (ID, error) {
	m := idForm().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", fmt.Errorf("%s is no ID of a plan; IDs look like plan-007, or 7 for short", chat.InCode(chat.Clip(text, 40)))
	}
	n, err := strconv.Atoi(m[1])
	return idOf(n), err
}

func idOf(n int) ID { return ID(fmt.Sprintf("plan-%03d", n)) }

var fileForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^plan-(\d{1,6})(?:\D|$)`) })

// NextID returns the ID after the highest number of a plan, and of the names of files, except numbers so high that they
// would leave no room.
func NextID(highest int, names ...string) ID {
	for _, name := range names {
		if m := fileForm().FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[1]) // six digits at most
			highest = max(highest, n)
		}
	}
	return idOf(highest + 1)
}

const maxSlug = 50

// FileName returns the name of a new plan's file: its ID and the letters and digits of its title.
func FileName(id ID, title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case b.Len() == maxSlug:
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := strings.Trim(b.String(), "-")
	if slug == "" {
		return string(id) + ".md"
	}
	return string(id) + "-" + slug + ".md"
}
