package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// segments is a job.segments event: the first of its texts has that index.
func segments(from int, texts ...string) string {
	list := make([]object, len(texts))
	for i, text := range texts {
		list[i] = object{"text": text, "start": float64(from + i), "duration": 1.0}
	}
	return block(0, "job.segments", object{"jobId": jobID, "from": from, "segments": list})
}

// Every connection brings all segments. The caller gets each of them once, with the job of
// the event before.
func TestEventsBringEachSegmentOnce(t *testing.T) {
	t.Parallel()
	srv := &eventServer{next: []connection{
		broken(snapshot(2, "asr_running"), segments(0, "a"), segments(1, "b", "c"), transition(3, "publishing")),
		broken(segments(0, "a", "b"), transition(4, "asr_running"), segments(2, "c", "d")),
		streamOf(segments(0, "a", "b", "c", "d", "e"), segments(5), completed(5)),
	}}
	c := served(t, srv.ServeHTTP, client.WithRetry(quick))
	var texts []string
	var stages []transcript.Stage
	for event, err := range c.Jobs.Events(t.Context(), jobID) {
		require.NoError(t, err)
		if event.Segments == nil {
			continue
		}
		assert.Equal(t, transcript.EventSegments, event.Type)
		assert.Zero(t, event.ID)
		assert.Equal(t, len(texts), event.Segments.From)
		stages = append(stages, event.Job.Stage)
		for _, s := range event.Segments.Segments {
			texts = append(texts, s.Text)
		}
	}
	assert.Equal(t, []string{"a", "b", "c", "d", "e"}, texts)
	assert.Equal(t, []transcript.Stage{"asr_running", "asr_running", "asr_running", "asr_running"}, stages)
	assert.Equal(t, []string{"", "3", "4"}, srv.seen())
}

// A connection that brings new text counts as progress: any number of them may break.
func TestEventsWithSegmentsThroughAnUnsteadyConnection(t *testing.T) {
	t.Parallel()
	srv := &eventServer{}
	for n := range 30 {
		srv.next = append(srv.next, broken(segments(0, make([]string, n+1)...)))
	}
	srv.next = append(srv.next, streamOf(completed(5)))
	c := served(t, srv.ServeHTTP, client.WithRetry(quick))
	events, err := watch(t.Context(), c)
	require.NoError(t, err)
	assert.Len(t, events, 31)
}
