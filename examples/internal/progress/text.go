package progress

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// words describes a stage.
func words(stage transcript.Stage) string {
	switch stage {
	case transcript.StageQueued:
		return "waiting for its turn"
	case transcript.StageCaptionFetch:
		return "looking for captions"
	case transcript.StageDurationCheck:
		return "checking the length"
	case transcript.StageASRQueued:
		return "waiting for the recognizer"
	case transcript.StageASRRunning:
		return "recognizing"
	}
	return string(stage) // publishing, done, and stages of later versions of the service
}

// clock writes a time as M:SS.
func clock(d time.Duration) string { return transcript.LengthText(int(d.Seconds())) }

// Size writes a number of bytes as megabytes, or as gigabytes from 1 GB on.
func Size(n int64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// OneLine puts a foreign text on one line that cannot control the terminal: control characters
// and runs of spaces become a single space.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control)
	}), " ")
}

// fit cuts a line to a number of columns.
func fit(line string, columns int) string {
	if uniseg.StringWidth(line) <= columns {
		return line
	}
	var cut strings.Builder
	used := 1 // the dots
	for rest, state := line, -1; rest != ""; {
		var cluster string
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += width; used > columns {
			break
		}
		cut.WriteString(cluster)
	}
	return cut.String() + "…"
}

// tail cuts a name to a number of columns and keeps the end, which tells more about links and
// paths.
func tail(name string, columns int) string {
	if uniseg.StringWidth(name) <= columns {
		return name
	}
	for rest, state := name, -1; rest != ""; {
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if uniseg.StringWidth(rest) < columns {
			return "…" + rest
		}
	}
	return ""
}
