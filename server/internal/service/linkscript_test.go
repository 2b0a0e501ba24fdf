package service_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// platforms answers for the platforms as a test says: by default with a manual
// English track, and with five seconds of sound.
type platforms struct {
	mu        sync.Mutex
	asked     []transcript.Platform // whose captions
	downloads int

	tracks   []transcript.Track
	metadata transcript.Metadata
	captions func(ctx context.Context, call int) error // before the tracks are told
	audio    func(ctx context.Context) error
	sound    []byte
	segments []transcript.Segment // of every track; nil: one that names the track
	lost     *caption.LostError   // of every track
	learned  []transcript.Track   // before the error of captions
	nonsense *engine.Captions     // answered whatever is asked
}

func newPlatforms(t *testing.T, tracks ...transcript.Track) *platforms {
	return &platforms{
		tracks:   tracks,
		metadata: transcript.Metadata{Title: "A talk", Channel: "Talks", Duration: 5},
		sound:    recording(t, 5, 1),
	}
}

func manual(lang string) transcript.Track {
	return transcript.Track{ID: lang + ".manual", Lang: lang, Kind: transcript.TrackManual}
}

func auto(lang string) transcript.Track {
	return transcript.Track{ID: lang + ".auto", Lang: lang, Kind: transcript.TrackAuto}
}

func forced(lang string) transcript.Track {
	return transcript.Track{ID: lang + ".forced", Lang: lang, Kind: transcript.TrackForced}
}

func (*platforms) Origin(on transcript.Platform) (transcript.Origin, bool) {
	return engine.CaptionOrigin(on)
}

func (p *platforms) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, c.Platform)
	if p.captions != nil {
		if err := p.captions(ctx, len(p.asked)); err != nil {
			return engine.Captions{Tracks: p.learned}, err
		}
	}
	if p.nonsense != nil {
		return *p.nonsense, nil
	}
	found := engine.Captions{Metadata: p.metadata, Tracks: p.tracks}
	err := found.Choose(pick, func(n int) (caption.File, error) {
		text := caption.File{Segments: p.segments, Lost: p.lost}
		if text.Segments == nil {
			text.Segments = []transcript.Segment{{Text: "caption " + p.tracks[n].ID, Start: 1, Duration: 2}}
		}
		return text, nil
	})
	return found, err
}

func (p *platforms) Audio(ctx context.Context, _ engine.Content, dir string, o engine.AudioOptions) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.downloads++
	if err := o.Known(p.metadata); err != nil {
		return "", err
	}
	if p.audio != nil {
		if err := p.audio(ctx); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, "audio.wav")
	return path, os.WriteFile(path, p.sound, 0o600)
}

// set changes what the platforms say.
func (p *platforms) set(change func(*platforms)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *platforms) questions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// startLinks runs a pipeline that asks the given platforms.
func startLinks(t *testing.T, s *db.Store, e *script, p *platforms, change ...func(*service.Config)) *bench {
	t.Helper()
	wire := func(c *service.Config) {
		c.Engine.Captions, c.Engine.Audio = []engine.CaptionSource{p}, p
		c.PauseBriefly()
	}
	return start(t, s, e, append([]func(*service.Config){wire}, change...)...)
}

// prepareLinks is startLinks, not yet started.
func prepareLinks(t *testing.T, s *db.Store, p *platforms, change ...func(*service.Config)) *bench {
	t.Helper()
	wire := func(c *service.Config) { c.Engine.Captions, c.Engine.Audio = []engine.CaptionSource{p}, p }
	return prepare(t, s, &script{}, append([]func(*service.Config){wire}, change...)...)
}

// startOne starts a prepared pipeline, until the test ends.
func (b *bench) startOne(t *testing.T) {
	t.Helper()
	require.NoError(t, b.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, b.Stop(context.Background())) })
}

// plan permits everything.
// plan has limits that no test reaches, so that all that limits cost is done.
func plan() account.Plan {
	return account.Plan{
		Name:                 "test",
		Paid:                 true,
		RateLimit:            account.RateLimit{Requests: 1_000_000, Window: time.Minute},
		TranscriptsPerPeriod: 1_000_000,
		ASRMinutesPerPeriod:  1_000_000,
		Upload:               true,
		MaxUploadBytes:       4 << 30,
		ASR:                  true,
		Speakers:             true,
		ASRConcurrency:       1000,
		ASRWaiting:           1000,
		MaxDuration:          24 * time.Hour,
		BatchItems:           500,
		BatchExport:          true,
		CacheTTL:             30 * 24 * time.Hour,
		EventStreams:         1000,
	}
}

// link is a submission of a content of the video site.
func link(id, languages string) intake.Submission {
	s := intake.Submission{
		Account: acme,
		Plan:    plan(),
		Content: engine.Content{Platform: transcript.VideoSite, ExternalID: id, URL: "https://video.example/watch?v=" + id},
		Wish:    intake.Wish{View: view.View{SendMetadata: true}},
	}
	if languages != "" {
		var err error
		if s.Languages, err = transcript.ParseLanguageList(languages); err != nil {
			panic(err)
		}
	}
	return s
}

// send submits a link and returns its job as it ended.
func (b *bench) send(t *testing.T, s intake.Submission) *view.Job {
	t.Helper()
	return b.sendBy(t, s, b.Submit)
}

// submit is how a submission is handed in: Submit of a link, or Commit of a file.
type submit func(context.Context, intake.Submission) (*intake.Outcome, error)

func (b *bench) sendBy(t *testing.T, s intake.Submission, submit submit) *view.Job {
	t.Helper()
	out, err := submit(db.Unhurried(t.Context()), s)
	require.NoError(t, err)
	require.NotNil(t, out.Job, "the cache has answered")
	job, err := b.Jobs.Wait(db.Unhurried(t.Context()), s.Account, out.Job.JobID, nil)
	require.NoError(t, err)
	require.True(t, job.Status.Terminal(), "the job still is %s/%s", job.Status, job.Stage)
	return job
}

// succeed is send of a link that becomes a transcript.
func (b *bench) succeed(t *testing.T, s intake.Submission) *view.Job {
	t.Helper()
	job := b.send(t, s)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	return job
}

// stages are the states that a job has gone through.
func (b *bench) stages(t *testing.T, id string) []transcript.Stage {
	t.Helper()
	events, err := b.store.Jobs.Events(db.Unhurried(t.Context()), id, 0)
	require.NoError(t, err)
	var stages []transcript.Stage
	for i, ev := range events {
		require.Equal(t, i+1, ev.Sequence)
		stages = append(stages, ev.State.Stage)
	}
	return stages
}

func segmentsOf(t *testing.T, rendered *packed.Bytes) (segments []transcript.Segment) {
	t.Helper()
	require.NoError(t, json.Unmarshal(plain(t, rendered), &segments))
	return segments
}

// plain are packed bytes, unpacked.
func plain(t testing.TB, b *packed.Bytes) []byte {
	t.Helper()
	unpacked, err := b.Plain()
	require.NoError(t, err)
	return unpacked
}
