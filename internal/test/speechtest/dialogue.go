package speechtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// Voices are the voices of dialogues: those of flite, and variants of espeak-ng that differ
// clearly.
var Voices = []string{"slt", "rms", "awb", "kal16", "en-us+f2", "en-us+m7", "en-us+klatt"}

// lines are what the voices say.
var lines = []string{
	"The ferry leaves at seven in the morning, and we should be there early.",
	"I have never seen so many birds on one roof.",
	"Could you send me the numbers before lunch?",
	"The second machine stopped twice last week, and that made the whole floor wait.",
	"We moved the meeting to Thursday because the room was taken.",
	"My sister grows tomatoes on her balcony, and this year they are very small.",
	"The price of paper went up again, so we print less.",
	"They built the bridge in nineteen twelve and painted it green.",
	"Our train was late, the bus was full, and in the end we walked home in the rain.",
	"How long does it take to charge the battery?",
	"I would rather start with the easy part and see how far we get.",
	"She wrote the whole report on a small phone during the flight.",
	"That is a very good question.",
	"Is there anything else that you want to talk about today?",
}

// Sound is what a dialogue sounds like.
type Sound string

// The sounds of dialogues.
const (
	Clear Sound = "clear" // noise at -30 dB of the speech
	Noisy Sound = "noisy" // noise at -20 dB
	Music Sound = "music" // a bed of chords at -18 dB
	Phone Sound = "phone" // 300 to 3400 Hz, in 8 bits by the µ-law
)

// level is the mean energy of a voice, as the root of the mean square.
const level = 0.06

// Cast speaks dialogues. It keeps what the voices said for the next dialogue. The zero value is ready
// to use, also by several tests at once.
type Cast struct {
	clips sync.Map // of voice and line, to a func() []float64
}

// Dialogue writes a normalized recording of about the given length in seconds, in which the voices take
// turns of one to three sentences. One turn in four begins before the end of the turn in front of it, so that two
// people speak at once for about 5 percent of the time. It returns the recording's path, and the sentences
// as turns: speaker n is voice n-1. The same seed gives the same dialogue.
func (c *Cast) Dialogue(t testing.TB, seed uint64, seconds float64, sound Sound, voices ...string) (string, []engine.Turn) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the dialogue is the same in each run
	between := func(a, b float64) float64 { return a + (b-a)*random.Float64() }
	gains := make([]float64, len(voices))
	for i := range gains {
		gains[i] = math.Pow(10, between(-6, 0)/20)
	}
	var pcm []float64
	var turns []engine.Turn
	at, last := between(0.3, 2), -1
	for n := 0; at < seconds || n < len(voices); n++ {
		who := n
		for n >= len(voices) && (who >= len(voices) || who == last && len(voices) > 1) {
			who = random.IntN(len(voices))
		}
		last = who
		for sentence := range 1 + random.IntN(3) {
			if sentence > 0 {
				at += between(0.1, 0.6)
			}
			clip := c.say(t, voices[who], lines[random.IntN(len(lines))])
			first := int(at * speech.SampleRate)
			for len(pcm) < first+len(clip) {
				pcm = append(pcm, make([]float64, first+len(clip)-len(pcm))...)
			}
			for i, s := range clip {
				pcm[first+i] += s * gains[who]
			}
			end := at + float64(len(clip))/speech.SampleRate
			turns = append(turns, engine.Turn{Span: engine.Span{Start: at, End: end}, Speaker: who + 1})
			at = end
		}
		if random.IntN(4) == 0 {
			at -= between(0.3, 1)
		} else {
			at += between(0.1, 1.2)
		}
	}
	pcm = append(pcm, make([]float64, speech.SampleRate)...)
	path := filepath.Join(t.TempDir(), "dialogue.wav")
	write(t, path, bytesOf(colored(pcm, sound, random)))
	return path, turns
}

// colored adds the sound to the speech.
func colored(pcm []float64, sound Sound, random *rand.Rand) []float64 {
	switch sound {
	case Music:
		addMusic(pcm, level*math.Pow(10, -18/20.0), random)
	case Phone:
		pcm = band(pcm)
		for i, s := range pcm {
			code := math.Round(127 * math.Log1p(255*min(math.Abs(s), 1)) / math.Log(256))
			pcm[i] = math.Copysign((math.Pow(256, code/127)-1)/255, s)
		}
	default:
		below := 30.0
		if sound == Noisy {
			below = 20
		}
		for i := range pcm {
			pcm[i] += random.NormFloat64() * level * math.Pow(10, -below/20)
		}
	}
	return pcm
}

// addMusic adds a chord in each second.
func addMusic(pcm []float64, energy float64, random *rand.Rand) {
	var root float64
	for i := range pcm {
		if i%speech.SampleRate == 0 {
			root = 110 * math.Pow(2, float64(random.IntN(12))/12)
		}
		for _, tone := range []float64{1, 1.25, 1.5, 2, 3} {
			pcm[i] += energy * 0.9 / tone * math.Sin(2*math.Pi*root*tone*float64(i)/speech.SampleRate)
		}
	}
}

// band keeps 300 to 3400 Hz, by a filter of windowed sines.
func band(pcm []float64) []float64 {
	const half = 128
	var kernel [2*half + 1]float64
	for i := range kernel {
		x := float64(i - half)
		for _, edge := range []struct{ hertz, sign float64 }{{3400, 1}, {300, -1}} {
			f := 2 * edge.hertz / speech.SampleRate
			s := f
			if x != 0 {
				s = math.Sin(math.Pi*f*x) / (math.Pi * x)
			}
			kernel[i] += edge.sign * s * (0.54 + 0.46*math.Cos(math.Pi*x/half))
		}
	}
	out := make([]float64, len(pcm))
	for i := range out {
		for k := max(-half, -i); k <= min(half, len(pcm)-1-i); k++ {
			out[i] += pcm[i+k] * kernel[k+half]
		}
	}
	return out
}

// say returns a clip of level, without silence at its ends.
func (c *Cast) say(t testing.TB, voice, line string) []float64 {
	t.Helper()
	made, _ := c.clips.LoadOrStore(voice+":"+line, sync.OnceValue(func() []float64 { return spoken(t, voice, line) }))
	return made.(func() []float64)()
}

func spoken(t testing.TB, voice, line string) []float64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "said.wav")
	if strings.HasPrefix(voice, "en") {
		command(t, "espeak-ng", "-v", voice, "-s", "165", "-w", path, line)
		path = Decode(t, path)
	} else {
		command(t, "flite", "-voice", voice, "-t", line, "-o", path)
	}
	var pcm bytes.Buffer
	copySamples(t, &pcm, path)
	clip := make([]float64, pcm.Len()/2)
	sum, largest := 0.0, 0.0
	for i := range clip {
		clip[i] = float64(int16(binary.LittleEndian.Uint16(pcm.Bytes()[2*i:]))) / math.MaxInt16 //nolint:gosec // the bits of a sample
		sum += clip[i] * clip[i]
		largest = max(largest, math.Abs(clip[i]))
	}
	first, last := 0, len(clip)
	for first < last && math.Abs(clip[first]) < largest/50 {
		first++
	}
	for first < last && math.Abs(clip[last-1]) < largest/50 {
		last--
	}
	if first == last {
		t.Fatal(fmt.Errorf("the voice %s says nothing", voice))
	}
	clip = clip[first:last]
	factor := level / math.Sqrt(sum/float64(len(clip)))
	for i := range clip {
		clip[i] *= factor
	}
	return clip
}

// bytesOf returns samples of 16 bits.
func bytesOf(pcm []float64) []byte {
	out := make([]byte, 2*len(pcm))
	for i, s := range pcm {
		binary.LittleEndian.PutUint16(out[2*i:], uint16(int16(math.Round(max(min(s, 1), -1)*math.MaxInt16)))) //nolint:gosec // the bits of a sample
	}
	return out
}
