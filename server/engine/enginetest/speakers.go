package enginetest

import (
	"bytes"
	"path/filepath"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

const (
	longestClip = 8 * time.Second // of a voice
	leastClip   = 2 * time.Second
)

// tellsSpeakers requires that the recognizer recognizes the speaker of the first sample by a
// piece of that sample, if the piece is long enough.
func tellsSpeakers(t T, r engine.Recognizer, samples []Sample) {
	info, sample := r.Info(), samples[0]
	audio := sample.audio(t)
	voice := voiceIn(t, audio)
	if !info.Speakers {
		ignoresVoices(t, r, voice)
		return
	}
	heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: sample.Language})
	require.NoError(t, err)
	assert.Equal(t, info.Voices > 0, heard.KnowsVoices, "KnowsVoices, where there are none")
	assert.True(t, namesSomebody(heard), "nobody speaks: %v", heard.Segments)
	assert.False(t, speaks(heard, voice.Name), "a voice that it was not told of")

	if voice.Audio.Duration < leastClip {
		return
	}
	heard, err = r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: sample.Language, Voices: []engine.Voice{voice}})
	require.NoError(t, err, "with a voice")
	sample.judge(t, audio, heard)
	assert.Equal(t, info.Voices > 0, heard.KnowsVoices, "KnowsVoices")
	assert.Equal(t, info.Voices > 0, speaks(heard, voice.Name), "the voice of the sample is in it: %v", heard.Segments)
}

// ignoresVoices requires that a voice changes nothing.
func ignoresVoices(t T, r engine.Recognizer, voice engine.Voice) {
	assert.Zero(t, r.Info().Voices, "one that takes voices tells speakers")
	audio := silence(t, 100*time.Millisecond)
	_, without := r.Recognize(t.Context(), audio, engine.RecognizeOptions{})
	heard, with := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Voices: []engine.Voice{voice}})
	assert.Equal(t, without == nil, with == nil, "with a voice, which it does not take: %v", with)
	assert.False(t, heard.KnowsVoices, "KnowsVoices")
}

func namesSomebody(heard engine.Recognition) bool {
	return slices.ContainsFunc(speakersOf(heard), func(s string) bool { return s != "" })
}

func speaks(heard engine.Recognition, speaker string) bool {
	return slices.Contains(speakersOf(heard), speaker)
}

func speakersOf(heard engine.Recognition) []string {
	all := make([]string, len(heard.Segments))
	for i, s := range heard.Segments {
		all[i] = s.Speaker
	}
	return all
}

// voiceIn makes a voice from the first seconds of a recording.
func voiceIn(t T, audio engine.Audio) engine.Voice {
	rec, err := speech.Open(audio.Path)
	require.NoError(t, err)
	defer func() { _ = rec.Close() }() // it was only read
	length := min(audio.Duration, longestClip)
	var pcm bytes.Buffer
	_, err = pcm.ReadFrom(rec.PCM(0, int64(length.Seconds()*speech.SampleRate)))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "voice.wav")
	require.NoError(t, speechtest.WriteFile(path, pcm.Bytes()))
	return engine.Voice{Name: speech.VoiceName(0), Audio: engine.Audio{Path: path, Duration: length}}
}
