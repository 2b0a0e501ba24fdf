package engine

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Examiner is implemented by engines that know more of what they stand on than
// whether they are fit for work, which a [Checker] tells.
type Examiner interface {
	// Examine looks at each thing that the engine needs, or is better with, and returns
	// what it found, in the order in which a reader wants to know. It ends soon after ctx
	// does, and reaches no network.
	Examine(ctx context.Context) []Finding
}

// Finding is what there is of one thing.
type Finding struct {
	Name   string    // what was looked for: "yt-dlp", "JavaScript runtime"
	Status Condition // how it is
	Found  string    // what is there, in one line: a version, a path, what is wrong; never a secret
	Fails  string    // what does not work as it is; empty: nothing
	Cure   string    // what to do about that, with the commands; empty: nothing
}

// Condition says how a thing is that an engine needs, or is better with.
type Condition string

// The conditions.
const (
	OK      Condition = "ok"
	Missing Condition = "missing" // something works less well without it, or not at all
	Old     Condition = "old"     // it works, but not as a newer one
	Broken  Condition = "broken"  // it is there, or has to be, and does not work
)

// FindingOf is the finding about a thing whose [Checker] has returned err, nil for one
// that is fit for work. What the error says after a colon is taken as the cure, as in
// "The model is missing: install the package of that name."
func FindingOf(name string, err error) Finding {
	var coded *transcript.Error
	switch {
	case err == nil:
		return Finding{Name: name, Status: OK}
	case !errors.As(err, &coded):
		return Finding{Name: name, Status: Broken, Found: clip.Line(err.Error(), maxFound)}
	}
	f := Finding{Name: name, Status: Broken}
	f.Found, f.Cure, _ = strings.Cut(strings.TrimSuffix(coded.Message, "."), ": ")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		f.Status = Missing
	}
	return f
}

// maxFound is how much of an error's text a finding repeats, in runes.
const maxFound = 500
