package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// listener is an engine that also detects voices, tells speakers apart and finds tracks, as a test
// says.
type listener struct {
	*script
	sound func(*engine.Sound) // what else it finds in a file
	voice []engine.Span
	turns []engine.Turn
	fails error // of the detector and the diarizer
	again error // of decoding a recording once more

	mu       sync.Mutex
	asked    []engine.NormalizeOptions
	diarized []int // the numbers of speakers that were asked for
}

func (l *listener) Normalize(ctx context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	sound, err := l.script.Normalize(ctx, in, out, o)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, o)
	if len(l.asked) > 1 && l.again != nil {
		return engine.Sound{}, l.again
	}
	if err == nil && l.sound != nil {
		l.sound(&sound)
	}
	return sound, err
}

func (l *listener) Speech(context.Context, engine.Audio) ([]engine.Span, error) {
	return l.voice, l.fails
}

// teller has Info of its own.
type teller struct{ *listener }

func (teller) Info() engine.DiarizerInfo { return engine.DiarizerInfo{Name: "teller", Model: "m2"} }

func (d teller) Diarize(_ context.Context, _ engine.Audio, o engine.DiarizeOptions) ([]engine.Turn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.diarized = append(d.diarized, o.Speakers)
	return d.turns, d.fails
}

func (l *listener) options() []engine.NormalizeOptions {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

func startListening(t *testing.T, s *db.Store, l *listener, change ...func(*service.Config)) *bench {
	t.Helper()
	return start(t, s, l.script, append([]func(*service.Config){func(c *service.Config) {
		c.Engine.Media, c.Engine.Recognizer, c.Engine.Voices, c.Engine.Diarizer = l, l, l, teller{l}
		c.PauseBriefly()
	}}, change...)...)
}

// listen has a file heard in a way, and returns the end of the job; nil: the cache has answered.
func (b *bench) listen(t *testing.T, file []byte, how transcript.Listening, change ...func(*intake.Submission)) (*view.Result, *view.Job) {
	t.Helper()
	out, err := b.request(t, file, how, change...)
	require.NoError(t, err)
	if out.Result != nil {
		return out.Result, nil
	}
	return nil, b.end(t, out.Job.JobID)
}

func (b *bench) request(t *testing.T, file []byte, how transcript.Listening, change ...func(*intake.Submission)) (*intake.Outcome, error) {
	t.Helper()
	u, err := b.Receive(db.Unhurried(t.Context()), bytes.NewReader(file), 1<<30)
	require.NoError(t, err)
	s := submission(acme)
	s.Listening, s.View.SendMetadata = how, true
	for _, f := range change {
		f(&s)
	}
	return u.Commit(db.Unhurried(t.Context()), s)
}

// withoutSpeakers has a plan that does not tell speakers apart, for which a recording is decoded again.
func withoutSpeakers(s *intake.Submission) { s.Plan.Speakers = false }

func turnOf(speaker int, start, end float64) engine.Turn {
	return engine.Turn{Span: engine.Span{Start: start, End: end}, Speaker: speaker}
}

// dialog hears a word each second, and fails at first.
func dialog(failures int) *script {
	return &script{recognize: func(_ context.Context, call int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if call <= failures {
			return engine.Recognition{}, errors.New("the recognizer has died")
		}
		s := transcript.Segment{Duration: a.Duration.Seconds()}
		for at := 0.0; at < s.Duration; at++ {
			word := fmt.Sprintf(" word%.0f", at) // a repeated one would be a loop
			s.Text += word
			s.Words = append(s.Words, transcript.Word{Text: word, Start: at + 0.2, End: at + 0.8})
		}
		return engine.Recognition{Segments: []transcript.Segment{s}, Language: "en"}, nil
	}}
}

// TestSpeakersOfTheWholeRecording: one call of the diarizer names the speakers in all chunks, however
// often chunks are tried, and a segment is cut where the speaker changes.
func TestSpeakersOfTheWholeRecording(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		l := &listener{script: dialog(2), turns: []engine.Turn{turnOf(1, 0, 20), turnOf(2, 20, 45), turnOf(1, 45, 60)}, voice: []engine.Span{{End: 60}}}
		b := startListening(t, s, l)
		_, job := b.listen(t, recording(t, 60, 1), transcript.Listening{Speakers: 2})
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		assert.Equal(t, []int{2}, l.diarized, "once, whatever happens to the chunks")
		assert.Equal(t, &transcript.Diarizer{Name: "teller", Model: new("m2")}, job.Result.Diarizer)
		for _, segment := range segmentsOf(t, job.SegmentsJSON) {
			want := "Speaker 1"
			if middle := segment.Start + segment.Duration/2; middle > 20 && middle < 45 {
				want = "Speaker 2"
			}
			assert.Equal(t, want, segment.Speaker, "%v", segment)
		}
		assert.InDelta(t, 60, job.Result.Heard.SpeechSec, 0.01)
		assert.Empty(t, l.options()[0].Channels)
	})
}

func TestWhoMayHaveSpeakers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		wish     transcript.Speakers
		plan     bool
		without  bool // a diarizer
		fails    error
		again    error
		code     transcript.Code
		speakers bool
	}{
		"auto":                            {plan: true, speakers: true},
		"none":                            {wish: transcript.NoSpeakers, plan: true},
		"auto, not in the plan":           {},
		"a number, not in the plan":       {wish: 2, code: transcript.UpgradeRequired},
		"auto, no diarizer":               {plan: true, without: true},
		"a number, no diarizer":           {wish: 2, plan: true, without: true, code: transcript.NotImplemented},
		"auto, the diarizer fails":        {plan: true, fails: errors.New("broken")},
		"a number, the diarizer fails":    {wish: 2, plan: true, fails: transcript.Errorf(transcript.Internal, "The diarizer is broken."), code: transcript.Internal},
		"auto, the sound is gone":         {plan: true, again: transcript.Errorf(transcript.UploadInvalid, "The file is no recording.")},
		"a number, the diarizer can tell": {wish: 2, plan: true, speakers: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &listener{script: dialog(0), turns: []engine.Turn{turnOf(1, 0, 10)}, voice: []engine.Span{{End: 10}}, fails: tt.fails, again: tt.again}
			b := startListening(t, dbtest.Open(t, dbtest.SQLite(t)), l, func(c *service.Config) {
				if tt.without {
					c.Engine.Diarizer = nil
				}
			})
			out, err := b.request(t, recording(t, 10, 1), transcript.Listening{Speakers: tt.wish}, func(s *intake.Submission) { s.Plan.Speakers = tt.plan })
			if err != nil {
				require.ErrorIs(t, err, tt.code)
				return
			}
			job := b.end(t, out.Job.JobID)
			if tt.code != "" {
				require.NotNil(t, job.Error)
				assert.Equal(t, tt.code, job.Error.Code)
				return
			}
			require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
			assert.Equal(t, tt.speakers, job.Result.Diarizer != nil)
			assert.Equal(t, tt.speakers, segmentsOf(t, job.SegmentsJSON)[0].Speaker != "")
		})
	}
}

// TestChannelsThatAreSpeakers: each channel is recognized by itself, is its own speaker, and the
// account pays once.
func TestChannelsThatAreSpeakers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		l := &listener{script: dialog(1), turns: []engine.Turn{turnOf(1, 0, 60)}, voice: []engine.Span{{End: 60}}}
		l.sound = func(sound *engine.Sound) { sound.Channels = []engine.Audio{sound.Audio, sound.Audio} }
		b := startListening(t, s, l)
		_, job := b.listen(t, recording(t, 50, 1), transcript.Listening{Channels: transcript.SeparateChannels})
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		assert.Equal(t, transcript.SeparateChannels, l.options()[0].Channels)
		assert.Empty(t, l.diarized)
		seconds, last := map[string]float64{}, 0.0
		for _, segment := range segmentsOf(t, job.SegmentsJSON) {
			seconds[segment.Speaker] += segment.Duration
			assert.GreaterOrEqual(t, segment.Start, last)
			last = segment.Start
		}
		assert.InDeltaMapValues(t, map[string]float64{"Channel 1": 50, "Channel 2": 50}, seconds, 1)
		assert.Equal(t, 50, *job.Result.LengthSeconds)
		stands, err := b.Standing(t.Context(), acme, "", time.Now().UTC().AddDate(0, 0, 1-time.Now().UTC().Day()).Truncate(24*time.Hour))
		require.NoError(t, err)
		assert.EqualValues(t, 1, stands.Usage.Used.Minutes)
	})
}

// TestOtherListeningIsOtherWork: the cache answers what was heard in the same way, and nothing else.
func TestOtherListeningIsOtherWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		l := &listener{script: dialog(0), voice: []engine.Span{{End: 60}}}
		b := startListening(t, s, l)
		file := recording(t, 5, 1)
		for i, step := range []struct {
			how     transcript.Listening
			decoded int
		}{
			{transcript.Listening{}, 1}, {transcript.Listening{Channels: transcript.MixChannels}, 1},
			{transcript.Listening{AudioTrack: "2"}, 2}, {transcript.Listening{AudioTrack: "2"}, 2},
			{transcript.Listening{AudioTrack: "de"}, 3}, {transcript.Listening{}, 4},
		} {
			_, job := b.listen(t, file, step.how, withoutSpeakers)
			if job != nil {
				require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
			}
			assert.Len(t, l.options(), step.decoded, "step %d", i)
		}
		assert.Equal(t, 2, l.options()[1].Track)
		assert.Equal(t, "de", l.options()[2].Language)
	})
}

// TestWhatIsMissingIsTold: a text says what of the recording was not heard.
func TestWhatIsMissingIsTold(t *testing.T) {
	t.Parallel()
	l := &listener{script: new(script), voice: []engine.Span{{End: 9}}, sound: func(s *engine.Sound) {
		s.CutOff = &transcript.CutOff{HeldSec: 10, AnnouncedSec: 20}
		s.Tracks = []transcript.AudioTrack{{Index: 1, Used: true}, {Index: 2, Language: new("de")}}
		s.Unread = 7
	}}
	b := startListening(t, dbtest.Open(t, dbtest.SQLite(t)), l)
	file := recording(t, 10, 1)
	_, job := b.listen(t, file, transcript.Listening{}, withoutSpeakers)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	want := transcript.Sound{
		CutOff: &transcript.CutOff{HeldSec: 10, AnnouncedSec: 20}, UnreadBytes: 7,
		AudioTracks: []transcript.AudioTrack{{Index: 1, Used: true}, {Index: 2, Language: new("de")}},
		Heard:       &transcript.Heard{HeardSec: 0.8, SpeechSec: 9, SilentSec: 0.5},
	}
	got := job.Result.Sound
	assert.InDelta(t, want.Heard.SilentSec, got.Heard.SilentSec, 0.05)
	want.Heard.SilentSec = got.Heard.SilentSec
	assert.Equal(t, want, got)
	assert.Equal(t, job.Result.Sound, job.Result.Transcript.Sound)
	assert.Contains(t, fmt.Sprint(job.Result.Metadata["gaps"]), "no_words")
	cached, _ := b.listen(t, file, transcript.Listening{}, withoutSpeakers)
	assert.Equal(t, job.Result.Sound, cached.Sound)
	assert.False(t, l.options()[0].Whole, "what there is becomes a text")
	b.listen(t, file, transcript.Listening{RequireWhole: true}, withoutSpeakers)
	assert.True(t, l.options()[1].Whole)
}

// TestNoVoiceIsNotRecognized: a recognizer is not asked for the words of a tone.
func TestNoVoiceIsNotRecognized(t *testing.T) {
	t.Parallel()
	l := &listener{script: new(script), voice: []engine.Span{}}
	b := startListening(t, dbtest.Open(t, dbtest.SQLite(t)), l)
	_, job := b.listen(t, recording(t, 10, 1), transcript.Listening{})
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Zero(t, l.calls())
	assert.True(t, job.Result.NothingHeard)
	assert.Equal(t, 0.0, job.Result.Heard.SpeechSec)
}

// TestListeningOfALink: an account that wants a link heard in its own way has a text of its own, and
// a download must be whole.
func TestListeningOfALink(t *testing.T) {
	t.Parallel()
	sites := &platforms{sound: recording(t, 10, 1)}
	l := &listener{script: dialog(0), turns: []engine.Turn{turnOf(1, 0, 10)}, voice: []engine.Span{{End: 10}}}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), l.script, sites, func(c *service.Config) {
		c.Engine.Media, c.Engine.Recognizer, c.Engine.Voices, c.Engine.Diarizer = l, l, l, teller{l}
	})
	shared := b.succeed(t, link("v1", "asr"))
	own := link("v1", "asr")
	own.Listening.Speakers = 3
	mine := b.succeed(t, own)
	assert.Equal(t, []int{0, 3}, l.diarized)
	assert.NotEqual(t, shared.TranscriptRef, mine.TranscriptRef)
	assert.True(t, l.options()[0].Whole)
	out, err := b.Submit(t.Context(), link("v1", "asr"))
	require.NoError(t, err)
	require.NotNil(t, out.Result)
	assert.Equal(t, shared.TranscriptRef, out.Result.TextID)
}

// TestSpeakersOfAnUploadThatArrives: the diarizer hears the whole file also if its chunks were
// recognized before its end.
func TestSpeakersOfAnUploadThatArrives(t *testing.T) {
	t.Parallel()
	l := &listener{script: dialog(0), turns: []engine.Turn{turnOf(1, 0, 50), turnOf(2, 50, 120)}, voice: []engine.Span{{End: 120}}}
	b, e := startArrivals(t, dbtest.Open(t, dbtest.SQLite(t)), func(c *service.Config) {
		c.Engine.Voices, c.Engine.Diarizer = l, teller{l}
	})
	e.recognize = l.recognize
	file := recording(t, 120, 1)
	out, err := b.arrive(t, submission(acme), slowly(file, len(file)*9/10, func() {
		assert.Eventually(t, func() bool { return e.calls() >= 2 }, time.Minute, time.Millisecond)
	}))
	require.NoError(t, err)
	job := b.end(t, out.Job.JobID)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	segments := segmentsOf(t, job.SegmentsJSON)
	assert.Equal(t, "Speaker 1", segments[0].Speaker)
	assert.Equal(t, "Speaker 2", segments[len(segments)-1].Speaker)
	assert.Equal(t, []int{0}, l.diarized)
}
