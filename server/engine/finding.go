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

// Examiner is an optional interface of engines that can report on each of their
// dependencies. A [Checker] only reports whether the engine can work.
type Examiner interface {
	// Examine checks each dependency of the engine, and returns the findings, most
	// important first. It returns soon after ctx has ended, and uses no network except
	// for services of the operator.
	Examine(ctx context.Context) []Finding
}

// Finding is the state of one dependency of an engine.
type Finding struct {
	Name   string    // the examined thing: "yt-dlp", "JavaScript runtime"
	Status Condition // the state of the thing
	Found  string    // the current version, path or fault, in one line; never a secret
	Fails  string    // the features that do not work in this state; empty means none
	Cure   string    // how to repair it, with the commands; empty means nothing to do
}

// Condition is the state of a dependency of an engine.
type Condition string

// The values of Condition.
const (
	OK      Condition = "ok"
	Missing Condition = "missing" // the dependency is missing, and a feature works less well or not at all
	Old     Condition = "old"     // the dependency works, but a newer version would work better
	Broken  Condition = "broken"  // the dependency is required or present, and does not work
)

// FindingOf returns the finding for a dependency, by the result of its [Checker]. The
// dependency works if err is nil, and also if err is RATE_LIMITED, which means that it
// is busy. The Cure of the finding is that of the error. Without one, it is the text of
// the error after a colon, as in "The model is missing: install the package of that
// name.", or else the cure of the code.
func FindingOf(name string, err error) Finding {
	var coded *transcript.Error
	switch {
	case err == nil:
		return Finding{Name: name, Status: OK}
	case !errors.As(err, &coded):
		return Finding{Name: name, Status: Broken, Found: clip.Line(err.Error(), maxFound)}
	}
	if coded.Code == transcript.RateLimited { // it is available, and works on something else
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

// maxFound limits the text of an error that a finding repeats, in runes.
const maxFound = 500
