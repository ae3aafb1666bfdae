package imagegen

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// auto leaves the size or the quality to the model.
const auto = "auto"

// A shape is a size in pixels, or the ratio of its sides.
type shape struct {
	width, height int
	ratio         bool
}

var shapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([1-9]\d{0,4})([x:])([1-9]\d{0,4})$`) })

func parseShape(text string) (shape, bool) {
	m := shapes().FindStringSubmatch(text)
	if m == nil {
		return shape{}, false
	}
	w, _ := strconv.Atoi(m[1]) // at most five digits
	h, _ := strconv.Atoi(m[3])
	return shape{w, h, m[2] == ":"}, true
}

func (s shape) String() string {
	if s.ratio {
		return fmt.Sprintf("%d:%d", s.width, s.height)
	}
	return fmt.Sprintf("%dx%d", s.width, s.height)
}

// apart is how different two shapes look: 0 if the sides have the same ratio.
func (s shape) apart(other shape) float64 {
	return math.Abs(math.Log(float64(s.width) / float64(s.height) * float64(other.height) / float64(other.width)))
}

// size returns the size that a model is asked for, and a note if it is not the one that people want.
func (r row) size(model, want string) (size, note string, err error) {
	want = strings.NewReplacer("×", "x", " ", "").Replace(strings.ToLower(want))
	switch {
	case want == "":
		return r.Sizes[0], "", nil
	case slices.Contains(r.Sizes, want):
		return want, "", nil
	case want == auto:
		return r.Sizes[0], fmt.Sprintf("%s does not choose a size itself, so it is %s", model, r.Sizes[0]), nil
	}
	s, ok := parseShape(want)
	if !ok {
		return "", "", fmt.Errorf("size: not a size of %s; use %s", model, r.choices())
	}
	if r.Free {
		size = free(s).String()
	} else {
		size = r.nearest(s)
	}
	if size != want {
		note = fmt.Sprintf("%s does not make %s, so it is %s", model, want, size)
	}
	return size, note, nil
}

func (r row) choices() string {
	list := strings.Join(r.Sizes, ", ")
	if r.Free {
		list += ", or width x height in pixels such as 1536x1024"
	}
	return list
}

// nearest returns the size that looks most like a shape, and of these the one of the most similar area.
func (r row) nearest(s shape) string {
	return slices.MinFunc(slices.DeleteFunc(slices.Clone(r.Sizes), func(size string) bool { return size == auto }), func(a, b string) int {
		one, _ := parseShape(a) // a test reads those of the table
		two, _ := parseShape(b)
		if by := cmp.Compare(math.Round(100*one.apart(s)), math.Round(100*two.apart(s))); by != 0 {
			return by
		}
		return cmp.Compare(math.Abs(float64(one.width*one.height-s.width*s.height)), math.Abs(float64(two.width*two.height-s.width*s.height)))
	})
}

// The limits of gpt-image-2 and later ones.
// https://developers.openai.com/api/docs/guides/image-generation
const (
	step       = 16
	maxSide    = 3840
	maxRatio   = 3
	minPixels  = 655_360
	maxPixels  = 8_294_400
	likePixels = 1 << 20 // of a picture of which only the ratio is wanted
)

// free returns the size nearest to a shape within the limits.
func free(s shape) shape {
	if s.fits() {
		return s
	}
	pixels := float64(likePixels)
	if !s.ratio {
		// A little less than the limits, since the sides are rounded.
		pixels = min(max(float64(s.width)*float64(s.height), 1.1*minPixels), 0.95*maxPixels)
	}
	ratio := min(max(float64(s.width)/float64(s.height), 1/2.9), 2.9)
	w, h := math.Sqrt(pixels*ratio), math.Sqrt(pixels/ratio)
	if longest := max(w, h); longest > maxSide {
		w, h = w*maxSide/longest, h*maxSide/longest
	}
	return shape{width: rounded(w), height: rounded(h)}
}

func rounded(side float64) int { return int(math.Round(side/step)) * step }

func (s shape) fits() bool {
	short, long, pixels := min(s.width, s.height), max(s.width, s.height), s.width*s.height
	return !s.ratio && s.width%step == 0 && s.height%step == 0 && long <= maxSide && long <= maxRatio*short &&
		pixels >= minPixels && pixels <= maxPixels
}

// grades are all words for a quality. OpenAI's older models know two words of their own.
var grades = map[string]int{"low": 1, "medium": 2, "standard": 2, auto: 2, "high": 3, "hd": 3, "xhigh": 4, "max": 5}

// quality returns the quality that a model is asked for, or "" for its own choice, and a note if it is not the one that people want.
func (r row) quality(model, want string) (quality, note string, err error) {
	want = strings.ToLower(strings.TrimSpace(want))
	known := slices.DeleteFunc(slices.Clone(r.Qualities), func(q string) bool { return q == auto })
	switch {
	case want == "" || slices.Contains(r.Qualities, want):
		return want, "", nil
	case grades[want] == 0:
		return "", "", fmt.Errorf("quality: not a quality; use %s", cmp.Or(strings.Join(r.Qualities, ", "), "standard or hd"))
	case len(known) == 0:
		return "", model + " has no choice of qualities", nil
	}
	quality = known[0] // they are in ascending order
	for _, q := range known {
		if grades[q] <= grades[want] {
			quality = q
		}
	}
	if grades[quality] != grades[want] {
		note = fmt.Sprintf("%s does not know the quality %s, so it is %s", model, want, quality)
	}
	return quality, note, nil
}
