package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Examiner is implemented by engines that can report on each of their dependencies. A [Checker]
// only tells whether the engine is fit for work.
type Examiner interface {
	// Examine looks at each thing that the engine needs or benefits from, and returns the
	// findings in the order in which a reader wants to know them. It ends soon after ctx does,
	// and uses no network except for services of the operator.
	Examine(ctx context.Context) []Finding
}

// Finding is the state of one dependency of an engine.
type Finding struct {
	Name   string    // the examined thing: "yt-dlp", "JavaScript runtime"
	Status Condition // the state of the thing
	Found  string    // the present version, path or fault, in one line; never a secret
	Fails  string    // the features that do not work in this state; empty: none
	Cure   string    // how to repair it, with the commands; empty: nothing to do
}

// Condition is the state of a thing that an engine needs or benefits from.
type Condition string

// The conditions.
const (
	OK      Condition = "ok"
	Missing Condition = "missing" // a feature works less well without the thing, or not at all
	Old     Condition = "old"     // the thing works, but worse than a newer version
	Broken  Condition = "broken"  // the thing is there, or has to be, and does not work
)

// FindingOf returns the finding about a thing whose [Checker] has returned err; nil means that
// the thing is fit for work. A busy thing, RATE_LIMITED, is fit too. The cure is that of the error, else the text of the error after a
// colon, as in "The model is missing: install the package of that name.", else that of the code.
func FindingOf(name string, err error) Finding {
	var coded *transcript.Error
	switch {
	case err == nil:
		return Finding{Name: name, Status: OK}
	case !errors.As(err, &coded):
		return Finding{Name: name, Status: Broken, Found: clip.Line(err.Error(), maxFound)}
	}
	if coded.Code == transcript.RateLimited { // it is there, and works on something else
		return Finding{Name: name, Status: OK, Found: strings.TrimSuffix(coded.Message, ".")}
	}
	f := Finding{Name: name, Status: Broken}
	if f.Cure = coded.Cure; f.Cure != "" {
		f.Found = strings.TrimSuffix(strings.TrimSuffix(coded.Message, " "+f.Cure), ".")
	} else {
		f.Found, f.Cure, _ = strings.Cut(strings.TrimSuffix(coded.Message, "."), ": ")
		f.Cure = cmp.Or(f.Cure, Cure(coded.Code))
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		f.Status = Missing
	}
	return f
}

// maxFound bounds the text of an error that a finding repeats, in runes.
const maxFound = 500
