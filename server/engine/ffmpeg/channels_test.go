package ffmpeg_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// power is the level of what is heard, in dB below full scale.
func (n normalized) power() float64 {
	sum := 0.0
	for _, s := range n.samples {
		sum += float64(s) * float64(s)
	}
	return 10 * math.Log10(sum/float64(max(1, len(n.samples)))/(1<<30)+1e-10)
}

// steepest is the largest step between two samples.
func (n normalized) steepest() (step int) {
	for i := 1; i < len(n.samples); i++ {
		d := int(n.samples[i]) - int(n.samples[i-1])
		step = max(step, d, -d)
	}
	return step
}

// channelsOf makes a recording with an expression for each channel.
func channelsOf(t *testing.T, name, codec string, seconds int, channels ...string) string {
	t.Helper()
	return record(t, name, fmt.Sprintf("-f lavfi -i aevalsrc='%s':s=16000:d=%d %s", strings.Join(channels, "|"), seconds, codec))
}

// TestEveryChannelIsHeard: the mix is never much quieter than the loudest channel.
func TestEveryChannelIsHeard(t *testing.T) {
	t.Parallel()
	const sine, minus = "0.3*sin(500*2*PI*t)", "-0.3*sin(500*2*PI*t)"
	for name, c := range map[string]struct {
		channels []string
		least    float64 // dB below the loudest channel
		pitch    float64
	}{
		"the same":                  {[]string{sine, sine}, -0.1, 500},
		"opposite phase":            {[]string{sine, minus}, -0.2, 500},
		"opposite phase and weaker": {[]string{sine, "-0.2*sin(500*2*PI*t)"}, -0.2, 500},
		"left alone":                {[]string{sine, "0"}, -6.1, 500},
		"right alone":               {[]string{"0", sine}, -6.1, 500},
		"opposite in turns": {[]string{
			"0.3*sin(500*2*PI*t)*(1-0.9*between(mod(t,1),0.5,1))", "-0.3*sin(500*2*PI*t)*(1-0.9*between(mod(t,1),0,0.5))"}, -0.8, 500},
		"one of six":         {[]string{"0", "0", "0", "0", sine, "0"}, -0.3, 500},
		"the third of three": {[]string{"0", "0", sine}, -0.3, 500},
		"the low effects":    {[]string{"0", "0", "0", sine, "0", "0"}, -0.3, 500},
		"one of eight":       {[]string{"0", "0", "0", "0", "0", "0", "0", sine}, -0.3, 500},
		"two of four, opposite": {
			[]string{sine, "0", "0", minus}, -0.3, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := channelsOf(t, "a.wav", "-bitexact", 4, c.channels...)
			got := hear(t, in, engine.NormalizeOptions{})
			loudest := 20*math.Log10(0.3) - 10*math.Log10(2)
			if name == "opposite in turns" {
				loudest -= 10*math.Log10(2) - 0.05 // each half of the time
				loudest += 10 * math.Log10(2)
			}
			assert.Greater(t, got.power(), loudest+c.least)
			assert.InDelta(t, c.pitch, got.piece(0.2, 3.8).pitch(), 20)
			// The steepest step of the tone itself: no changes of the mix click.
			assert.Less(t, float64(got.piece(0.2, 3.8).steepest()), 0.3*32768*2*math.Pi*500/16000*1.3)
		})
	}
}

// TestManyChannels: a recorder for a whole room. The last channel has the sound.
func TestManyChannels(t *testing.T) {
	t.Parallel()
	le := binary.LittleEndian
	for _, n := range []int{9, 16, 32, 64} {
		size := 2 * 16000 * 2 * n
		b := le.AppendUint32([]byte("RIFF"), uint32(36+size))
		b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
		b = le.AppendUint16(le.AppendUint16(b, 1), uint16(n))
		b = le.AppendUint32(le.AppendUint32(b, 16000), uint32(16000*2*n))
		b = le.AppendUint16(le.AppendUint16(b, uint16(2*n)), 16)
		b = le.AppendUint32(append(b, "data"...), uint32(size))
		for i := range 2 * 16000 {
			b = append(b, make([]byte, 2*n-2)...)
			b = le.AppendUint16(b, uint16(int16(10000*math.Sin(float64(i)*500*2*math.Pi/16000))))
		}
		got := hear(t, write(t, "a.wav", string(b)), engine.NormalizeOptions{Channels: transcript.SeparateChannels})
		assert.InDelta(t, 500, got.pitch(), 5, "%d channels", n)
		assert.InDelta(t, 20*math.Log10(10000/32768.0)-3, got.power(), 0.3, "%d channels", n)
		assert.Empty(t, got.Channels, "too many to be separated")
	}
}

// spoken is a sentence that flite speaks.
func spoken(t *testing.T, voice, text string) string {
	t.Helper()
	if _, err := exec.LookPath("flite"); err != nil {
		t.Skip("flite is not installed")
	}
	out := write(t, "spoken.wav", "")
	require.NoError(t, exec.CommandContext(t.Context(), "flite", "-voice", voice, "-t", text, "-o", out).Run())
	return out
}

func TestSeparateChannels(t *testing.T) {
	t.Parallel()
	in := channelsOf(t, "a.flac", "", 3, "0.3*sin(500*2*PI*t)", "0.3*sin(900*2*PI*t)")
	for how, want := range map[transcript.Channels]int{"": 0, transcript.MixChannels: 0, transcript.AutoChannels: 0, transcript.SeparateChannels: 2} {
		got := hear(t, in, engine.NormalizeOptions{Channels: how})
		require.Len(t, got.Channels, want, how)
		for c, channel := range got.Channels {
			alone := normalized{Sound: engine.Sound{Audio: channel}, samples: samplesOf(t, channel.Path)}
			assert.InDelta(t, []float64{500, 900}[c], alone.pitch(), 3)
		}
	}
	mono := hear(t, channelsOf(t, "a.flac", "", 1, "0.3*sin(500*2*PI*t)"), engine.NormalizeOptions{Channels: transcript.SeparateChannels})
	assert.Empty(t, mono.Channels, "one channel is no channels")
	t.Run("of two recordings", func(t *testing.T) {
		t.Parallel()
		both := glue(t, "in", channelsOf(t, "a.wav", "", 2, "0.3*sin(700*2*PI*t)"), in)
		got := hear(t, both, engine.NormalizeOptions{Channels: transcript.SeparateChannels})
		require.Len(t, got.Channels, 2)
		for c, channel := range got.Channels {
			alone := normalized{Sound: engine.Sound{Audio: channel}, samples: samplesOf(t, channel.Path)}
			assert.InDelta(t, 700, alone.piece(0, 1.9).pitch(), 3)
			assert.InDelta(t, []float64{500, 900}[c], alone.piece(2.1, 4.9).pitch(), 3)
		}
	})
}

func TestTwoVoicesAreSeparated(t *testing.T) {
	t.Parallel()
	a := spoken(t, "slt", "The first speaker of the morning tells about harbors, ships and a storm in the autumn.")
	b := spoken(t, "rms", "The second speaker answers with numbers of the last year and a plan for the next.")
	const join = "-filter_complex [0:a]aresample=16000[x];[1:a]aresample=16000,%s[y];[x][y]join=inputs=2:channel_layout=stereo -t 9"
	for name, c := range map[string]struct {
		recipe string
		two    bool
	}{
		"both at once":             {"-i " + a + " -i " + b + " " + fmt.Sprintf(join, "anull"), true},
		"one after the other":      {"-i " + a + " -i " + b + " " + fmt.Sprintf(strings.ReplaceAll(join, "[0:a]aresample=16000", "[0:a]aresample=16000,apad=pad_dur=5"), "adelay=5000:all=1"), true},
		"a little of the other":    {"-i " + a + " -i " + b + " -filter_complex [0:a]aresample=16000,apad=pad_dur=5[x];[1:a]aresample=16000,adelay=5000:all=1[y];[x][y]join=inputs=2:channel_layout=stereo[z];[z]pan=stereo|c0=c0+0.05*c1|c1=c1+0.05*c0 -t 9", true},
		"one voice in the middle":  {"-i " + a + " -ac 2", false},
		"one voice on one side":    {"-i " + a + " -af pan=stereo|c0=c0", false},
		"opposite phase":           {"-i " + a + " -af pan=stereo|c0=c0|c1=-1*c0", false},
		"a voice beside noise":     {"-i " + a + " -f lavfi -i anoisesrc=r=16000:a=0.02:d=9 " + fmt.Sprintf(join, "anull"), false},
		"a voice beside a tone":    {"-i " + a + " -f lavfi -i sine=r=16000:d=9 " + fmt.Sprintf(join, "anull"), false},
		"two noises":               {"-f lavfi -i anoisesrc=r=16000:d=6 -f lavfi -i anoisesrc=r=16000:seed=5:d=6 " + fmt.Sprintf(join, "anull"), false},
		"two voices in a room":     {"-i " + a + " -i " + b + " -filter_complex [0:a]aresample=16000[x];[1:a]aresample=16000[y];[x][y]join=inputs=2:channel_layout=stereo[z];[z]pan=stereo|c0=c0+0.6*c1|c1=c1+0.6*c0 -t 9", false},
		"nothing on both channels": {"-f lavfi -i anullsrc=r=16000:cl=stereo:d=4", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := hear(t, record(t, "a.wav", c.recipe), engine.NormalizeOptions{Channels: transcript.AutoChannels})
			if c.two {
				require.Len(t, got.Channels, 2)
			} else {
				require.Empty(t, got.Channels)
			}
		})
	}
}
