package ffmpeg

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// getPrograms tells how to install both programs.
const getPrograms = "install ffmpeg 5.1 or later, which brings ffprobe (apt install ffmpeg on Debian and Ubuntu; package ffmpeg on Fedora, Alpine and Homebrew too)"

var _ engine.Examiner = (*Tool)(nil)

// Examine reports the versions of both programs.
func (t *Tool) Examine(ctx context.Context) (all []engine.Finding) {
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		all = append(all, t.examine(ctx, program))
	}
	return all
}

func (t *Tool) examine(ctx context.Context, program string) engine.Finding {
	const fails = "uploads, and links without captions: CONFIG_ERROR"
	exit, err := t.run(ctx, engine.Command{
		Program: program, Args: []string{"-version"},
		Limits: engine.Limits{Wall: 30 * time.Second, CPU: 10 * time.Second},
	})
	if err != nil {
		f := engine.FindingOf(program, err)
		f.Fails = fails
		return f
	}
	said := versionLine.FindSubmatch(exit.Stdout)
	if exit.Code != 0 || said == nil {
		f := engine.FindingOf(program, errors.New("does not answer like "+program))
		f.Fails, f.Cure = fails, getPrograms
		return f
	}
	f := engine.Finding{Name: program, Status: engine.OK, Found: string(said[1])}
	if tooOld(said) {
		f.Status, f.Cure = engine.Old, getPrograms
		f.Fails = "perhaps some recordings: versions before 5.1 are untested"
	}
	return f
}

// versionLine matches the first line of either program. A program built from a source
// repository has a version without numbers, or with other numbers.
var versionLine = regexp.MustCompile(`^ff\w+ version (n?(\d+)\.(\d+)[^ ]{0,40}|[^ ]{1,40}) `)

func tooOld(said [][]byte) bool {
	major, err := strconv.Atoi(string(said[2]))
	minor, _ := strconv.Atoi(string(said[3])) // both or none
	return err == nil && (major < 5 || major == 5 && minor < 1)
}
