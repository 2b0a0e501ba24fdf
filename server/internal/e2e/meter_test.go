package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/voices"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sentences take three to five seconds each.
var sentences = []string{
	"The harbor was quiet that morning, and the boats came back with very little fish.",
	"Nobody had told the engineers that the bridge would be closed for the whole summer.",
	"We compared the numbers of the last ten years, and most of them did not agree at all.",
	"My grandmother kept her letters in a wooden box under the stairs until she was ninety.",
	"If the pressure falls below the second mark, the valve opens and the pump starts again.",
	"The committee will meet on Thursday, although two of its members are still away.",
}

// rooms are filters for ways in which people record.
var rooms = []string{
	"anull",
	"highpass=f=300,lowpass=f=3400",
	"volume=-24dB",
	"aeval=val(0)+0.004*(random(0)*2-1)",
}

// recital is a recording with its sentences.
type recital struct {
	audio engine.Audio
	lines []transcript.Segment
}

func newRecital(t *testing.T, n int) recital {
	t.Helper()
	random := rand.New(rand.NewPCG(7, uint64(n)))
	texts := make([]string, 4)
	for i, at := range random.Perm(len(sentences))[:len(texts)] {
		texts[i] = sentences[at]
	}
	pause := time.Duration(300+random.IntN(3000)) * time.Millisecond
	clean, starts := speechtest.Recite(t, pause, texts...)
	whole := length(t, clean)
	r := recital{audio: engine.Audio{Path: filepath.Join(t.TempDir(), "recital.wav")}}
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "error", "-i", clean, "-af", rooms[n%len(rooms)],
		"-ar", "16000", "-ac", "1", "-c:a", "pcm_s16le", r.audio.Path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	r.audio.Duration = length(t, r.audio.Path)
	for i, start := range starts {
		end := whole
		if i+1 < len(starts) {
			end = starts[i+1] - pause
		}
		r.lines = append(r.lines, transcript.Segment{Text: texts[i], Start: start.Seconds(), Duration: (end - start).Seconds()})
	}
	return r
}

func length(t *testing.T, path string) time.Duration {
	t.Helper()
	rec, err := speech.Open(path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return rec.Duration()
}

// TestHonestyMeter has recognizers lose a sentence: the meter finds the hole. Where a recognizer loses
// nothing, the meter finds nothing.
func TestHonestyMeter(t *testing.T) {
	t.Parallel()
	v, err := voices.New(enginetest.Host(t), voices.Options{Python: installed.WhisperPython(t)})
	require.NoError(t, err)
	good, planted := 200, 20
	if testing.Short() {
		good, planted = 4, 4
	}
	found, alarms := 0, []string{}
	for n := range max(good, planted) {
		r := newRecital(t, n)
		voice, err := v.Speech(t.Context(), r.audio)
		require.NoError(t, err)
		holes := func(lines []transcript.Segment) (holes []recognition.Gap) {
			text := recognition.Transcription{Segments: lines}
			(&recognition.Sound{Speech: voice}).Tell(&text)
			for _, g := range text.Gaps {
				if g.Reason == recognition.ReasonNoWords {
					holes = append(holes, g)
				}
			}
			return holes
		}
		if n < good {
			for _, hole := range holes(r.lines) {
				alarms = append(alarms, fmt.Sprintf("recital %d: %+v", n, hole))
			}
		}
		if n < planted {
			lost := n % len(r.lines)
			kept := append(append([]transcript.Segment{}, r.lines[:lost]...), r.lines[lost+1:]...)
			if holes := holes(kept); len(holes) == 1 && holes[0].Start < r.lines[lost].End() && holes[0].Start+holes[0].Duration > r.lines[lost].Start {
				found++
			} else {
				t.Logf("recital %d: %v", n, holes)
			}
		}
	}
	assert.Empty(t, strings.Join(alarms, "\n"), "false alarms in %d good recordings", good)
	assert.GreaterOrEqual(t, found, planted-planted/20, "of %d planted losses", planted)
}
