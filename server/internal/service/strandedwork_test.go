package service_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// strandFirst marks the first row of each step in the queue as completed before anybody
// has done it, as happens where a database has lost what a step has written.
func strandFirst(t *testing.T, o db.Options) {
	t.Helper()
	statements := []string{`CREATE TRIGGER strand AFTER INSERT ON river_job
		WHEN NEW.kind <> 'sweep' AND NOT EXISTS (SELECT 1 FROM river_job AS r WHERE r.kind = NEW.kind AND r.args = NEW.args AND r.id <> NEW.id)
		BEGIN UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END`}
	if !strings.HasPrefix(o.Database, "sqlite:") {
		statements = []string{`CREATE FUNCTION strand() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
			IF NEW.kind <> 'sweep' AND NOT EXISTS (SELECT 1 FROM river_job AS r WHERE r.kind = NEW.kind AND r.args = NEW.args AND r.id <> NEW.id) THEN
				UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE id = NEW.id;
			END IF;
			RETURN NULL;
		END$$`, `CREATE TRIGGER strand AFTER INSERT ON river_job FOR EACH ROW EXECUTE FUNCTION strand()`}
	}
	raw := storetest.SQL(t, store.Options(o))
	for _, statement := range statements {
		_, err := raw.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
}

// lookingEvery is the usual retention, with another time between looks for stranded work.
func lookingEvery(d time.Duration) work.Retention {
	r := work.DefaultRetention()
	r.Stranded = d
	return r
}

// TestStrandedWorkGoesOn loses each step of an upload, of a link without captions and of
// a playlist once. Two pipelines look for it where the database permits that, and both
// must not do it twice.
func TestStrandedWorkGoesOn(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		strandFirst(t, o)
		e := &script{}
		often := func(c *service.Config) { c.Retention = lookingEvery(20 * time.Millisecond) }
		lists := &listScript{answer: listOf(3, 0)}
		soundless := newPlatforms(t)
		wire := func(c *service.Config) {
			listing(lists)(c)
			c.Engine.Audio = soundless
		}
		b := start(t, s, e, wire, often)
		if s.Shared() {
			start(t, s, e, wire, often)
		}

		upload := b.end(t, b.job(t, recording(t, 65, 1)).JobID)
		require.Equal(t, transcript.JobSuccess, upload.Status, "%v", upload.Error)
		assert.Len(t, segmentsOf(t, upload.SegmentsJSON), e.calls(), "each chunk is recognized once")
		assert.Equal(t, 1, upload.Attempt, "nobody has failed")

		heard := b.succeed(t, link("only-sound", "asr"))
		assert.Equal(t, "asr", string(heard.Result.Transcript.Source))
		assert.Equal(t, "a", segmentsOf(t, b.succeed(t, link("a", "en")).SegmentsJSON)[0].Text)

		playlist := batchOf()
		playlist.Mode, playlist.List = batch.Playlist, &engine.List{
			Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: "PL1234567890", URL: "https://www.youtube.com/playlist?list=PL1234567890",
		}
		made, err := b.Batches.Create(t.Context(), playlist)
		require.NoError(t, err)
		assert.Equal(t, batch.Counts{Total: 3, Success: 3}, b.ended(t, acme, made.ID).Counts)

		raw := storetest.SQL(t, store.Options(o))
		var broken []string
		assert.Eventually(t, func() bool { // the queue notes the ends of steps a little later
			broken, err = dbtest.Broken(t.Context(), raw, true)
			return err == nil && len(broken) == 0
		}, time.Minute, 10*time.Millisecond, "%v: %v", err, &broken)
	})
}

// TestStrandedAtTheStart is for SQLite, where nobody else can be at the work.
func TestStrandedAtTheStart(t *testing.T) {
	t.Parallel()
	o, counted := dbtest.SQLite(t), metrics.New("test")
	b := prepare(t, dbtest.Open(t, o), &script{}, func(c *service.Config) {
		c.Retention, c.Metrics = lookingEvery(24*time.Hour), counted
	})
	id := b.job(t, recording(t, 5, 1)).JobID
	_, err := storetest.SQL(t, store.Options(o)).ExecContext(t.Context(), "DELETE FROM river_job")
	require.NoError(t, err)
	b.startOne(t)
	job := b.end(t, id)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	shown := httptest.NewRecorder()
	counted.Handler().ServeHTTP(shown, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	assert.Contains(t, shown.Body.String(), "transcriptkit_work_stranded_total 1\n")
}
