package transcript

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// MaxTitle is the longest title of an upload, in characters.
const MaxTitle = 200

// RoundSeconds is a length as durationSec and lengthSeconds show it: whole
// seconds, rounded half up (contract 13.6).
func RoundSeconds(sec float64) int { return int(math.Floor(sec + 0.5)) }

// LengthText is a length in seconds for people: M:SS, or H:MM:SS from an hour
// on. A negative length is 0:00.
func LengthText(sec int) string {
	sec = max(sec, 0)
	if sec < 3600 {
		return fmt.Sprintf("%d:%02d", sec/60, sec%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", sec/3600, sec/60%60, sec%60)
}

// UploadTitle is the title of an upload: its file name without directories and
// extension, at most MaxTitle characters, no control characters (contract 4).
// It is empty when nothing is left.
func UploadTitle(fileName string) string {
	name := fileName[strings.LastIndexAny(fileName, `/\`)+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	name = strings.TrimSpace(name)
	if runes := []rune(name); len(runes) > MaxTitle {
		name = strings.TrimSpace(string(runes[:MaxTitle]))
	}
	return name
}
