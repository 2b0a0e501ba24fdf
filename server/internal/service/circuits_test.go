package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// metadataStatus speaks of what is known: a job that has ended does
// not promise that it will ask.
func TestMetadataStatusOfJobs(t *testing.T) {
	t.Parallel()
	poor := link("v1", "en")
	poor.Plan.ASR = false
	photo := link("v1", "")
	photo.Content.Platform = transcript.PhotoSite
	for name, test := range map[string]struct {
		change func(*platforms)
		send   intake.Submission
		want   transcript.MetadataStatus
	}{
		"captions":           {send: link("v1", "en"), want: transcript.MetadataComplete},
		"sound":              {send: link("v1", "asr"), want: transcript.MetadataComplete},
		"photo":              {send: photo, want: transcript.MetadataComplete},
		"captions, nothing":  {func(p *platforms) { p.metadata = transcript.Metadata{} }, link("v1", "en"), transcript.MetadataUnavailable},
		"sound, only length": {func(p *platforms) { p.metadata = transcript.Metadata{} }, link("v1", "asr"), transcript.MetadataPartial},
		"gone":               {func(p *platforms) { p.captions = refusing(transcript.Unavailable) }, link("v1", "en"), transcript.MetadataUnavailable},
		"dismissed":          {func(p *platforms) { p.tracks = nil }, poor, transcript.MetadataComplete},
		"sound fails": {func(p *platforms) {
			p.audio = func(context.Context) error { return transcript.Errorf(transcript.Unavailable, "Gone.") }
		}, link("v1", "asr"), transcript.MetadataComplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t, manual("en"))
			if test.change != nil {
				test.change(sites)
			}
			b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
			out, err := b.Submit(t.Context(), test.send)
			require.NoError(t, err)
			assert.Equal(t, transcript.MetadataPending, out.Job.MetadataStatus)
			assert.Equal(t, test.want, b.end(t, out.Job.JobID).MetadataStatus)
		})
	}
}

// The work is told what is known of its content before it is recognized.
func TestMetadataStatusUnderWay(t *testing.T) {
	t.Parallel()
	sites := newPlatforms(t)
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, sites)
	job := b.succeed(t, link("v1", "asr"))
	events, err := b.store.Jobs.Events(t.Context(), job.JobID, 0)
	require.NoError(t, err)
	for _, ev := range events {
		want := transcript.MetadataComplete
		if ev.State.Stage == transcript.StageQueued || ev.State.Stage == transcript.StageDurationCheck {
			want = transcript.MetadataPending
		}
		assert.Equal(t, want, ev.MetadataStatus, "%s", ev.State.Stage)
	}
}
