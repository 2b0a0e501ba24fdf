package sherpa

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// turnLine is a line of a turn: "1.583 -- 3.406 speaker_00". A version can add the confidence.
var turnLine = regexp.MustCompile(`^(\d+(?:\.\d+)?) -- (\d+(?:\.\d+)?) speaker_(\d+)(?:\s.*)?$`)

// parse reads the program's output: its configuration, the line "Started", and a line for each turn.
// Turns are cut at the end of the recording, and speakers get the numbers of the order in which
// they first speak.
func parse(out string, length float64) ([]engine.Turn, error) {
	_, out, started := strings.Cut("\n"+out, "\nStarted\n")
	if !started {
		return nil, errors.New("its output does not say that it started")
	}
	var turns []engine.Turn
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		part := turnLine.FindStringSubmatch(line)
		if part == nil {
			return nil, fmt.Errorf("its output has a line that is no turn: %s", clip.Line(line, maxReason))
		}
		start, errStart := strconv.ParseFloat(part[1], 64)
		end, errEnd := strconv.ParseFloat(part[2], 64)
		speaker, errSpeaker := strconv.Atoi(part[3])
		if err := errors.Join(errStart, errEnd, errSpeaker); err != nil {
			return nil, fmt.Errorf("its output has a line that is no turn: %w", err)
		}
		if end = min(end, length); start < end { // windows of the model exceed the recording
			turns = append(turns, engine.Turn{Span: engine.Span{Start: start, End: end}, Speaker: speaker})
		}
	}
	slices.SortStableFunc(turns, func(a, b engine.Turn) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Speaker, b.Speaker))
	})
	return numbered(joined(turns)), nil
}

// joined joins the turns of a speaker that overlap.
func joined(turns []engine.Turn) []engine.Turn {
	var all []engine.Turn
	last := map[int]int{} // the last turn of each speaker
	for _, turn := range turns {
		if n, spoke := last[turn.Speaker]; spoke && turn.Start < all[n].End {
			all[n].End = max(all[n].End, turn.End)
			continue
		}
		last[turn.Speaker] = len(all)
		all = append(all, turn)
	}
	return all
}

// numbered numbers the speakers from 1, in the order of their first turns.
func numbered(turns []engine.Turn) []engine.Turn {
	numbers := map[int]int{}
	for i, turn := range turns {
		if numbers[turn.Speaker] == 0 {
			numbers[turn.Speaker] = len(numbers) + 1
		}
		turns[i].Speaker = numbers[turn.Speaker]
	}
	return turns
}
