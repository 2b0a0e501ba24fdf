package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// diarizer is a recognizer that tells the speakers of a talk.
type diarizer struct {
	*script

	voices int  // that it takes
	deaf   bool // it refuses voices
	// before is called when a chunk has begun; nil: nothing.
	before func(ctx context.Context, call int) error

	mu    sync.Mutex
	known []string // of each call, the persons whose voices it was told
	clips [][]byte // of all calls
	busy  atomic.Int32
	most  int32 // calls at once
}

func (d *diarizer) Info() engine.RecognizerInfo {
	info := d.script.Info()
	info.Speakers, info.Voices, info.MaxChunk = true, d.voices, 10*time.Second
	return info
}

func (d *diarizer) Recognize(ctx context.Context, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	d.mu.Lock()
	d.most = max(d.most, d.busy.Add(1))
	defer d.busy.Add(-1)
	var voices []speechtest.Voice
	known := ""
	for _, v := range o.Voices {
		pcm, err := pcmOf(v.Audio)
		if err != nil {
			return engine.Recognition{}, err
		}
		voices = append(voices, speechtest.Voice{Name: v.Name, PCM: pcm})
		d.clips = append(d.clips, pcm)
		known += string(rune('0' + speechtest.PersonOf(pcm)))
	}
	d.known = append(d.known, known)
	call := len(d.known)
	d.mu.Unlock()
	if d.before != nil {
		if err := d.before(ctx, call); err != nil {
			return engine.Recognition{}, err
		}
	}
	if d.deaf {
		voices = nil
	}
	pcm, err := pcmOf(a)
	heeded := d.voices > 0 && (!d.deaf || len(o.Voices) == 0)
	return engine.Recognition{Segments: speechtest.Diarize(pcm, voices...), Language: "en", KnowsVoices: heeded}, err
}

// pcmOf reads the samples of a recording that is as long as it is said to be.
func pcmOf(a engine.Audio) ([]byte, error) {
	rec, err := speech.Open(a.Path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if rec.Duration() != a.Duration {
		return nil, transcript.Errorf(transcript.Internal, "%s lasts %v, not %v", a.Path, rec.Duration(), a.Duration)
	}
	return io.ReadAll(rec.PCM(0, rec.Samples()))
}

func wavOf(t *testing.T, pcm []byte) []byte {
	t.Helper()
	var wav bytes.Buffer
	require.NoError(t, speech.WriteWAV(&wav, bytes.NewReader(pcm), int64(len(pcm)/2)))
	return wav.Bytes()
}

// talkOf makes each part of a talk a chunk of its own: 8.4 seconds of the persons in turn,
// and a pause in which one cuts.
func talkOf(parts ...string) []byte {
	var turns []speechtest.Turn
	for _, part := range parts {
		for _, person := range part {
			turns = append(turns, speechtest.Turn{Person: int(person - '0'), For: time.Duration(840/len(part)) * 10 * time.Millisecond})
		}
		turns = append(turns, speechtest.Turn{For: 600 * time.Millisecond})
	}
	return speechtest.Talk(turns...)
}

// speakers are the labels of a transcript, and of each the persons who have it.
func speakers(t *testing.T, job *view.Job) (labels []string, people map[string]string) {
	t.Helper()
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	var segments []transcript.Segment
	require.NoError(t, json.Unmarshal(plain(t, job.SegmentsJSON), &segments))
	people = map[string]string{}
	for _, s := range segments {
		labels = append(labels, s.Speaker)
		person, _, _ := strings.Cut(strings.TrimPrefix(s.Text, "person "), " ")
		if !strings.Contains(people[s.Speaker], person) {
			people[s.Speaker] += person
		}
	}
	return labels, people
}

func withDiarizer(d *diarizer) func(*service.Config) {
	return func(c *service.Config) { c.Engine.Recognizer = d }
}

func (b *bench) nobodyLeft(t *testing.T, id string) {
	t.Helper()
	b.nothingLeft(t)
	job, err := b.store.Jobs.Owned(t.Context(), acme, id)
	require.NoError(t, err)
	rows, err := b.store.Speakers.All(t.Context(), job.WorkID)
	require.NoError(t, err)
	assert.Empty(t, rows, "speakers were left behind")
}

func TestSpeakersKeepTheirNames(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		// In the second part person 3 speaks first, and gets the label A.
		talk := talkOf("12", "321", "243", "1")
		d := &diarizer{script: &script{}, voices: 4}
		b := start(t, s, d.script, withDiarizer(d))
		id := b.job(t, wavOf(t, talk)).JobID
		labels, people := speakers(t, b.end(t, id))
		assert.Equal(t, []string{"A", "B", "C", "B", "A", "B", "D", "C", "A"}, labels)
		assert.Equal(t, map[string]string{"A": "1", "B": "2", "C": "3", "D": "4"}, people)
		assert.Equal(t, []string{"", "12", "123", "1234"}, sortedEach(d.known))
		assert.Equal(t, int32(1), d.most, "chunks did not wait for each other")
		for i, clip := range d.clips {
			assert.GreaterOrEqual(t, len(clip), 2*2*speech.SampleRate, "clip %d", i)
			assert.LessOrEqual(t, len(clip), 2*10*speech.SampleRate, "clip %d", i)
			assert.True(t, bytes.Contains(talk, clip), "clip %d is no piece of the talk", i)
		}
		b.nobodyLeft(t, id)
	})
}

// sortedEach sorts the persons of each call: those who have spoken as long come in any
// order.
func sortedEach(calls []string) []string {
	out := make([]string, len(calls))
	for i, call := range calls {
		for _, person := range "123456789" {
			if strings.ContainsRune(call, person) {
				out[i] += string(person)
			}
		}
	}
	return out
}

// Of more people than it takes, the recognizer is told the voices of those who have
// spoken most. The others are new whenever they speak.
func TestVoicesOfThoseWhoSpeakMost(t *testing.T) {
	t.Parallel()
	talk := talkOf("123", "145", "1145", "2")
	d := &diarizer{script: &script{}, voices: 2}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), d.script, withDiarizer(d))
	labels, _ := speakers(t, b.end(t, b.job(t, wavOf(t, talk)).JobID))
	for call, known := range d.known {
		assert.Len(t, known, min(2*call, 2), "voices of chunk %d", call)
	}
	assert.Equal(t, "1", d.known[3][:1], "who has spoken most is first")
	assert.Equal(t, []string{"A", "B", "C", "A", "D", "E"}, labels[:6])
}

// Without voices chunks need not wait for each other, and names hold in one only.
func TestNamesTellTheirPart(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*diarizer{
		"refuses voices": {script: &script{}, voices: 4, deaf: true},
		"takes none":     {script: &script{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var second sync.WaitGroup // two chunks after the one that was refused run at once
			second.Add(2)
			d.before = func(_ context.Context, call int) error {
				if call > 2 && call <= 4 {
					second.Done()
					second.Wait()
				}
				return nil
			}
			b := start(t, dbtest.Open(t, dbtest.SQLite(t)), d.script, withDiarizer(d))
			id := b.job(t, wavOf(t, talkOf("12", "21", "3", "12"))).JobID
			labels, _ := speakers(t, b.end(t, id))
			assert.Equal(t, []string{"A (part 1)", "B (part 1)", "A (part 2)", "B (part 2)", "A (part 3)", "A (part 4)", "B (part 4)"}, labels)
			b.nobodyLeft(t, id)
		})
	}
}

func TestOneChunkHasPlainNames(t *testing.T) {
	t.Parallel()
	for _, voices := range []int{0, 4} {
		d := &diarizer{script: &script{}, voices: voices}
		b := start(t, dbtest.Open(t, dbtest.SQLite(t)), d.script, withDiarizer(d))
		labels, _ := speakers(t, b.end(t, b.job(t, wavOf(t, talkOf("121"))).JobID))
		assert.Equal(t, []string{"A", "B", "A"}, labels)
	}
}

// A process that stops in the middle leaves names and voices to the one that goes on.
func TestSpeakersOutliveTheirProcess(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		begun := make(chan struct{})
		d := &diarizer{script: &script{}, voices: 4}
		d.before = func(ctx context.Context, call int) error {
			if call != 3 {
				return nil
			}
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		}
		first := prepare(t, s, d.script, withDiarizer(d))
		require.NoError(t, first.Start(t.Context()))
		id := first.job(t, wavOf(t, talkOf("12", "321", "243", "1"))).JobID
		<-begun
		require.NoError(t, first.Stop(t.Context()))

		second := start(t, s, d.script, withDiarizer(d))
		_, people := speakers(t, second.end(t, id))
		assert.Equal(t, map[string]string{"A": "1", "B": "2", "C": "3", "D": "4"}, people)
		assert.Equal(t, []string{"", "12", "123", "123", "1234"}, sortedEach(d.known))
		second.nobodyLeft(t, id)
	})
}

// A job that ends otherwise forgets its speakers, too.
func TestSpeakersAreForgotten(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		begun := make(chan struct{})
		d := &diarizer{script: &script{}, voices: 4}
		d.before = func(ctx context.Context, call int) error {
			if call == 2 {
				close(begun)
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		b := start(t, s, d.script, withDiarizer(d))
		id := b.job(t, wavOf(t, talkOf("12", "21"))).JobID
		<-begun
		job, err := b.store.Jobs.Owned(t.Context(), acme, id)
		require.NoError(t, err)
		rows, err := b.store.Speakers.All(t.Context(), job.WorkID)
		require.NoError(t, err)
		require.Len(t, rows, 2)
		_, err = b.Cancel(t.Context(), acme, id, nil)
		require.NoError(t, err)
		b.nobodyLeft(t, id)
	})
}
