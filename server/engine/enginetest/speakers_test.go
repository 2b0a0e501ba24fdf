package enginetest_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
)

// knowing is a recognizer that tells speakers and takes a voice, and changes what it heard.
func knowing(change func(info *engine.RecognizerInfo, r *engine.Recognition)) broken {
	info := engine.RecognizerInfo{Name: "sound", Languages: []string{"en"}, Speakers: true, Voices: 1}
	change(&info, &engine.Recognition{})
	return broken{
		info: func() engine.RecognizerInfo { return info },
		recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			r, err := sound{}.Recognize(ctx, audio, opts)
			r.KnowsVoices = info.Voices > 0
			for i := range r.Segments {
				r.Segments[i].Speaker = "A"
				if len(opts.Voices) > 0 && info.Voices > 0 {
					r.Segments[i].Speaker = opts.Voices[0].Name
				}
			}
			change(&engine.RecognizerInfo{}, &r)
			return r, err
		},
	}
}

func TestSpeakersOfRecognizers(t *testing.T) {
	t.Parallel()
	pcm := make([]byte, 3*32000)
	for i := range pcm {
		pcm[i] = byte(i % 31)
	}
	path := filepath.Join(t.TempDir(), "hello.wav")
	require.NoError(t, speechtest.WriteFile(path, pcm))
	sample := enginetest.Sample{Path: path, Language: "en", Text: "Hello, world!"}

	label := func(name string) func(*engine.RecognizerInfo, *engine.Recognition) {
		return func(_ *engine.RecognizerInfo, r *engine.Recognition) {
			for i := range r.Segments {
				r.Segments[i].Speaker = name
			}
		}
	}
	speakers := []string{"tells speakers"}
	tests := []struct {
		name   string
		change func(*engine.RecognizerInfo, *engine.Recognition)
		want   []string
	}{
		{"sound", func(*engine.RecognizerInfo, *engine.Recognition) {}, nil},
		{"takes no voices", func(info *engine.RecognizerInfo, _ *engine.Recognition) { info.Voices = 0 }, nil},
		{"knows nobody", label("A"), speakers},
		{"names nobody", label(""), speakers},
		{"names a voice unasked", label("voice_1"), speakers},
		{"refuses voices", func(_ *engine.RecognizerInfo, r *engine.Recognition) { r.KnowsVoices = false }, speakers},
		{"does not say that it tells speakers", func(info *engine.RecognizerInfo, _ *engine.Recognition) { info.Speakers, info.Voices = false, 0 }, []string{"hears the samples"}},
		{"takes voices and says no more", func(info *engine.RecognizerInfo, _ *engine.Recognition) { info.Speakers = false }, []string{"hears the samples", "tells speakers"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, failing(t, knowing(tt.change), sample))
		})
	}
}
