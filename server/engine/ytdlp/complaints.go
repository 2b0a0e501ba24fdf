package ytdlp

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// The limits of one run's complaints in the log: the number of complaints, and the runes of
// each.
const (
	maxComplaints = 20
	maxComplaint  = 500
)

// complaintList holds the complaints of a run, each once. A complaint may have several lines.
type complaintList struct{ errors, warnings []string }

// ours are complaints that our own options cause.
var ours = []string{"ffmpeg-location /nonexistent does not exist"}

// complaints reads the program's standard error. Lines outside any complaint, such as those of
// Python, count as a warning.
func complaints(stderr []byte) (l complaintList) {
	list := &l.warnings
	var last []string
	end := func() {
		text := strings.TrimSpace(strings.Join(last, "\n"))
		own := slices.ContainsFunc(ours, func(phrase string) bool { return strings.HasPrefix(text, phrase) })
		if text != "" && !own && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
		last = nil
	}
	for line := range strings.Lines(string(stderr)) {
		if strings.HasPrefix(line, debugging) {
			continue // such lines also show the proxy with its password
		}
		if text, ok := strings.CutPrefix(line, "ERROR: "); ok {
			end()
			list, line = &l.errors, text
		} else if text, ok := strings.CutPrefix(line, "WARNING: "); ok {
			end()
			list, line = &l.warnings, text
		}
		last = append(last, strings.TrimRight(line, "\r\n"))
	}
	end()
	return l
}

// debugging begins a line that is not meant for users.
const debugging = "[debug] "

// refusing is a part of the debug line with which the program reports that the site refuses a
// player. Often no other line reports that.
const refusing = "player response playability status"

// complaintsOnly removes the program's progress messages and tracebacks from its output. They
// may stand between complaints and inside one. A message about a refused player becomes a
// warning.
func complaintsOnly(said []byte) []byte {
	var kept strings.Builder
	complaint := false // an indented line continues with a complaint
	for line := range strings.Lines(string(said)) {
		text, debug := strings.CutPrefix(line, debugging)
		switch {
		case debug && strings.Contains(text, refusing):
			complaint = false
			kept.WriteString("WARNING: " + text)
			continue
		case strings.HasPrefix(line, "["), strings.HasPrefix(line, "  File "), strings.HasPrefix(line, "Traceback "):
			complaint = false
		case !strings.HasPrefix(line, " "):
			complaint = true
		}
		if complaint {
			kept.WriteString(line)
		}
	}
	return []byte(kept.String())
}

// hideWords removes the search words from the program's output: the program names a results
// page by them, in quotes.
func hideWords(link string, said []byte) []byte {
	u, err := url.Parse(link)
	if err != nil {
		return said // the link is not a page of ours
	}
	asked := u.Query()
	words := cmp.Or(asked.Get("search_query"), asked.Get("query"))
	if words == "" {
		return said
	}
	return []byte(strings.NewReplacer(link, aSearch, `"`+words+`"`, `"`+aSearch+`"`).Replace(string(said)))
}

// lines returns all complaints for the log, the errors first.
func (l complaintList) lines() (all []string) {
	for _, complaint := range slices.Concat(l.errors, l.warnings) {
		if len(all) == maxComplaints {
			break
		}
		all = append(all, clip.Line(complaint, maxComplaint))
	}
	return all
}

// lastComplaint returns the program's last error, otherwise its last warning.
func lastComplaint(stderr []byte) string {
	l := complaints(stderr)
	for _, list := range [][]string{l.errors, l.warnings} {
		if len(list) > 0 {
			return clip.Line(list[len(list)-1], maxComplaint)
		}
	}
	return ""
}

// because makes a complaint the cause of an error, for the log.
func because(complaint string) error {
	return errors.New("ytdlp: " + clip.Line(complaint, maxComplaint))
}
