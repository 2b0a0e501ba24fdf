package speechtest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Turn is a span in which one person speaks, numbered from 1 to 9; 0 means silence. It lasts
// whole hundredths of a second.
type Turn struct {
	Person int
	For    time.Duration
}

const (
	frame   = speech.SampleRate / 100 // samples
	perLoud = 2000                    // how much louder each person is than the previous one
)

// Talk makes samples of a conversation in which each person hums. No two stretches of it are
// equal.
func Talk(turns ...Turn) []byte {
	noise := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // nothing secret
	var pcm []byte
	for _, turn := range turns {
		for i := range int(turn.For.Seconds()*100+0.5) * frame {
			v := 0
			if turn.Person > 0 {
				v = perLoud*(turn.Person+1) + noise.IntN(200)
			}
			if i/16%2 == 1 {
				v = -v
			}
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(int16(v))) //nolint:gosec // 20,000 at most
		}
	}
	return pcm
}

// Voice is a clip of a person, and the name of that person.
type Voice struct {
	Name string
	PCM  []byte
}

// Diarize returns the result of a recognizer that tells speakers apart for [Talk]: a segment
// for each turn, with the text "person 1 at 2.50". The speaker is the name of the person's
// voice if there is one, otherwise a letter, from A in the order in which people speak.
func Diarize(pcm []byte, voices ...Voice) []transcript.Segment {
	labels := map[int]string{}
	for _, v := range voices {
		labels[PersonOf(v.PCM)] = v.Name
	}
	var segments []transcript.Segment
	speaking, letter := 0, 'A'
	for n := range len(pcm) / 2 / frame {
		at := float64(n) / 100
		person := personAt(pcm, n)
		switch person {
		case 0:
		case speaking:
			s := &segments[len(segments)-1]
			s.Duration = at + 0.01 - s.Start
		default:
			if labels[person] == "" {
				labels[person] = string(letter)
				letter++
			}
			segments = append(segments, transcript.Segment{Text: fmt.Sprintf("person %d at %.2f", person, at), Speaker: labels[person], Start: at, Duration: 0.01})
		}
		speaking = person
	}
	return segments
}

// PersonOf returns the person of [Talk] who speaks most in a piece of it.
func PersonOf(pcm []byte) int {
	var heard [16]int
	most := 0
	for n := range len(pcm) / 2 / frame {
		if person := personAt(pcm, n); person > 0 {
			heard[person]++
			if heard[person] > heard[most] {
				most = person
			}
		}
	}
	return most
}

// personAt returns who speaks in the n-th hundredth of a second.
func personAt(pcm []byte, n int) int {
	sum := 0
	for i := n * frame; i < (n+1)*frame; i++ {
		v := int(int16(binary.LittleEndian.Uint16(pcm[2*i:]))) //nolint:gosec // a sample
		sum += max(v, -v)
	}
	return max(min(sum/frame/perLoud, 16)-1, 0)
}
