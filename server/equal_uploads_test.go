package server_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// TestEqualUploadsAtOnce sends the same file a thousand times at once (a hundred with -short),
// while its recognition stands still. It is not parallel, as it would take the machine from
// others.
func TestEqualUploadsAtOnce(t *testing.T) {
	crowd := size().crowd
	tests := map[string]struct {
		accounts int
		database func(testing.TB) store.Options
	}{
		"one account":  {1, storetest.SQLite},
		"ten accounts": {10, storetest.Postgres},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := crowded(t, tt.database(t), func(*server.Config) {})
			s.Engine.SetMedia(servertest.Media{Duration: time.Second})
			keys := s.keys(t, tt.accounts)
			release := s.Engine.Hold()
			jobs := make([]string, crowd)
			var uploads errgroup.Group
			uploads.SetLimit(200) // connections
			for i := range crowd {
				uploads.Go(func() error {
					body, contentType := form(t, field("waitMs", "0"), file("the same bytes"))
					a, err := s.send(t, http.MethodPost, "/v1/transcript", bytes.NewReader(body), header("Content-Type", contentType), as(keys[i%len(keys)]))
					if err != nil {
						return err
					}
					if a.StatusCode != http.StatusAccepted {
						return fmt.Errorf("%s: %s", a.Status, a.body)
					}
					jobs[i] = a.object(t)["jobId"].(string)
					return nil
				})
			}
			require.NoError(t, uploads.Wait())
			distinct := map[string]int{}
			for _, id := range jobs {
				distinct[id]++
			}
			assert.Len(t, distinct, tt.accounts, "one job for each account")
			release()
			for i := range tt.accounts {
				a := s.get(t, "/v1/transcript/job/"+jobs[i]+"/events", as(keys[i]))
				require.Contains(t, a.body, "event: job.completed")
			}
			assert.Equal(t, tt.accounts, s.Engine.Recognitions(), "one recognition for each account")
			assert.Eventually(t, func() bool { return len(files(t, s.blobs)) == 0 }, time.Minute, 10*time.Millisecond)

			// Everyone has a text, and only by a job of their own.
			a := s.do(t, http.MethodGet, "/v1/transcript/job/"+jobs[0], nil, as(s.Key))
			assert.Equal(t, http.StatusNotFound, a.StatusCode, "another account reads the job")
		})
	}
}
