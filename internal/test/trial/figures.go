package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Figures are the tables of the trial in a folder: a line for each request, and what all of them come to. Its
// verdicts.txt, if there is one, has a line for each request that was judged, such as
//
//	12 one held
//	13 end lacking it guessed the channel first
//	14 wrong
//
// that is: its number; right in one call, right in the end, or wrong; whether the prompt held what was needed, was lacking
// something, or something was guessed; a remark.
func Figures(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "figures.json"))
	if err != nil {
		return "", fmt.Errorf("read the figures: %w", err)
	}
	var figures []Figure
	if err := json.Unmarshal(data, &figures); err != nil {
		return "", fmt.Errorf("read the figures: %w", err)
	}
	verdicts, err := readVerdicts(filepath.Join(dir, "verdicts.txt"), len(figures))
	if err != nil {
		return "", err
	}
	return table(figures, verdicts) + "\n" + summary(figures, verdicts), nil
}

// A verdict is what a judge says of a request.
type verdict struct{ right, prompt string }

var verdictLine = regexp.MustCompile(`^(\d+) (one|end|wrong)(?: (held|guessed|lacking))?(?: .*)?$`)

// readVerdicts reads verdicts by the numbers of their requests, of which there are so many.
func readVerdicts(file string, most int) (map[int]verdict, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the verdicts: %w", err)
	}
	verdicts := map[int]verdict{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := verdictLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("verdict %q: write the number, then one, end or wrong, then perhaps held, guessed or lacking", line)
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > most {
			return nil, fmt.Errorf("verdict %q: there are only %d requests", line, most)
		}
		verdicts[n] = verdict{right: m[2], prompt: m[3]}
	}
	return verdicts, nil
}

func table(figures []Figure, verdicts map[int]verdict) string {
	var b strings.Builder
	b.WriteString("| | Request | Calls | Bytes | First | After failure | Same | Details used | Dumps | Done | Failed | Asked | Blocked | Reader | Cards | Fillers | One call | In the end | Prompt |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i, f := range figures {
		v := verdicts[i+1]
		request := strings.ReplaceAll(chat.Clip(f.Request, 60), "|", `\|`)
		fmt.Fprintf(&b, "| %d | %s | %d | %s | %s | %s | %s | %d of %d | %d | %d | %d | %d | %d | %d | %s | %d | %s | %s | %s |\n", i+1, request, f.Calls, kilobytes(f.Bytes),
			largest(f.First), largest(f.AfterFailure), percent(f.Same, f.Of), f.Used, f.Details, f.Dumps, f.Done, f.Failed, f.Asked, f.Blocked, f.Reader, f.Cards, f.Fillers,
			yes(v.right, "one"), yes(v.right, "one", "end"), v.prompt)
	}
	return b.String()
}

// yes says whether a verdict is one of those; nothing without a verdict.
func yes(verdict string, right ...string) string {
	switch {
	case verdict == "":
		return ""
	case slices.Contains(right, verdict):
		return "yes"
	}
	return "no"
}

// summary is the table by which the prompt is measured.
func summary(figures []Figure, verdicts map[int]verdict) string {
	var sum Figure
	for _, f := range figures {
		sum.Calls, sum.Same, sum.Of = sum.Calls+f.Calls, sum.Same+f.Same, sum.Of+f.Of
		sum.Bytes, sum.Tools = sum.Bytes+f.Bytes, sum.Tools+f.Tools
		sum.Details, sum.Used, sum.Types, sum.Dumps = sum.Details+f.Details, sum.Used+f.Used, sum.Types+f.Types, sum.Dumps+f.Dumps
		sum.Done, sum.Failed, sum.Asked, sum.Blocked = sum.Done+f.Done, sum.Failed+f.Failed, sum.Asked+f.Asked, sum.Blocked+f.Blocked
		sum.Reader, sum.Fillers, sum.Cards = sum.Reader+f.Reader, sum.Fillers+f.Fillers, sum.Cards.and(f.Cards)
		sum.First, sum.AfterFailure = append(sum.First, f.First...), append(sum.AfterFailure, f.AfterFailure...)
	}
	one, end, held, guessed, judged := 0, 0, 0, 0, 0
	for _, v := range verdicts {
		switch v.right {
		case "one":
			one, end = one+1, end+1
		case "end":
			end++
		}
		switch v.prompt {
		case "":
			continue
		case "held":
			held++
		case "guessed":
			guessed++
		}
		judged++
	}
	var b strings.Builder
	row := func(what, figure string) { fmt.Fprintf(&b, "| %s | %s |\n", what, figure) }
	row("Requests", fmt.Sprintf("%d, %d judged", len(figures), len(verdicts)))
	b.WriteString("|---|---|\n")
	row("Right in one call", percent(one, len(verdicts)))
	row("Right in the end", percent(end, len(verdicts)))
	row("The prompt held what was needed", fmt.Sprintf("%s (a lucky guess in another %s)", percent(held, judged), percent(guessed, judged)))
	row("Calls per request, and per turn", fmt.Sprintf("%.2f, %.2f", float64(sum.Calls)/float64(max(1, len(figures))), float64(sum.Calls)/float64(max(1, len(sum.First)))))
	row("Bytes of all calls, per request", fmt.Sprintf("%s, of which %s are tools", kilobytes(sum.Bytes/max(1, len(figures))), kilobytes(sum.Tools/max(1, len(figures)))))
	row("Bytes of the first call, without history", fmt.Sprintf("%s on average, at most %s", average(sum.First), largest(sum.First)))
	row("Bytes after a failure, without history", fmt.Sprintf("%s on average, at most %s", average(sum.AfterFailure), largest(sum.AfterFailure)))
	row("Same beginning as the call before, in one channel", percent(sum.Same, sum.Of))
	row("Types explained that were then used", fmt.Sprintf("%d of %d (%s)", sum.Used, sum.Details, percent(sum.Used, sum.Details)))
	row("Types used that had been explained", fmt.Sprintf("%d of %d (%s)", sum.Used, sum.Types, percent(sum.Used, sum.Types)))
	row("Raw dumps of look-ups in a channel", strconv.Itoa(sum.Dumps))
	row("Fillers that stayed beside the answer to a look-up", strconv.Itoa(sum.Fillers))
	row("Cards that always ask, that were not confirmed, others", sum.Cards.String())
	row("Calls of the clean reader", strconv.Itoa(sum.Reader))
	row("Actions done, failed, asked about, blocked", fmt.Sprintf("%d, %d, %d, %d", sum.Done, sum.Failed, sum.Asked, sum.Blocked))
	return b.String()
}

func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

func average(list []int) string {
	sum := 0
	for _, n := range list {
		sum += n
	}
	return kilobytes(sum / max(1, len(list)))
}

func largest(list []int) string {
	if len(list) == 0 {
		return "–"
	}
	return kilobytes(slices.Max(list))
}

func kilobytes(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f KB", float64(n)/1000)
}
