package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxGrowth is how many bytes of live memory a large upload may cost. maxParts is the same for an
// upload into an object store: the part under way, the part that fills, and what the collector
// counts as live because it was allocated while the collector ran.
const (
	maxGrowth = 16 << 20
	maxParts  = 32 << 20
)

// TestLargeUploadCostsLittleMemory is the short form of BenchmarkUpload1GiB. It looks at the
// objects that live, because a busy processor leaves more garbage, and the race detector has
// memory of its own. The test is not parallel: the heap belongs to the whole process.
func TestLargeUploadCostsLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	growth, _ := uploadGrowth(t, start(t), size().bigUpload, live)
	t.Logf("memory grew by %.1f MiB", float64(growth)/(1<<20))
	require.LessOrEqual(t, growth, int64(maxGrowth))
	growth, _ = uploadGrowth(t, startWithBlobs(t, storetest.S3(t)), size().bigUpload, live)
	t.Logf("memory grew by %.1f MiB, into a bucket", float64(growth)/(1<<20))
	require.LessOrEqual(t, growth, int64(maxParts))
}

// startWithBlobs starts a server with its blobs in a folder or a bucket.
func startWithBlobs(t testing.TB, blobs string) *service {
	t.Helper()
	o := storetest.SQLite(t)
	o.Blobs, o.OpenBucket = blobs, s3store.Open
	return startIn(t, o, t.TempDir())
}

// uploadGrowth is by how much the peak of a measure of memory during an upload
// lies above what it was before, and how long the upload takes.
func uploadGrowth(t testing.TB, s *service, size int64, memory func(testing.TB) int64) (growth int64, took time.Duration) {
	t.Helper()
	s.upload(t, "a small one first: what is allocated once is not growth")
	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "Zeros are no media."))
	const boundary = "boundary"
	head := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"waitMs\"\r\n\r\n0\r\n--" + boundary +
		"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"zeros.wav\"\r\n\r\n"
	body := io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, size), strings.NewReader("\r\n--"+boundary+"--\r\n"))
	var a *answer
	growth = growthDuring(t, memory, func() {
		began := time.Now()
		a = s.do(t, http.MethodPost, "/v1/transcript", body, header("Content-Type", "multipart/form-data; boundary="+boundary))
		took = time.Since(began)
	})
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	s.ended(t, a.object(t)["jobId"].(string))
	return growth, took
}

// growthDuring is by how much the peak of a measure of memory lies above what it was
// before.
func growthDuring(t testing.TB, memory func(testing.TB) int64, do func()) int64 {
	t.Helper()
	debug.FreeOSMemory()
	before := memory(t)
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := before
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-tick.C:
				most = max(most, memory(t))
			}
		}
	}()
	do()
	close(stop)
	return <-peak - before
}

// live is the size of the objects that the last collection found in use, in bytes.
func live(testing.TB) int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// resident is the resident memory of the process in bytes (proc(5)); where the
// system does not tell, what the runtime has from it.
func resident(t testing.TB) int64 {
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.Sys - m.HeapReleased)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(status))[1], 10, 64)
	if err != nil {
		t.Error(fmt.Errorf("statm: %w", err))
	}
	return pages * int64(os.Getpagesize())
}

// TestLargeResumableUploadCostsLittleMemory is TestLargeUploadCostsLittleMemory for a file that
// arrives in several requests.
func TestLargeResumableUploadCostsLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	bigUpload := size().bigUpload
	for name, s := range map[string]*service{"a folder": start(t), "a bucket": startWithBlobs(t, storetest.S3(t))} {
		s.upload(t, "a small one first: what is allocated once is not growth")
		path := s.begin(t, "")
		const requests = 4
		growth := growthDuring(t, live, func() {
			for n := range int64(requests) {
				a := s.do(t, http.MethodPatch, path, io.LimitReader(zeros{}, bigUpload/requests), header("Content-Type", resumable.Partial),
					header(resumable.Offset, strconv.FormatInt(n*bigUpload/requests, 10)), complete(false))
				require.Equal(t, resumable.Bool(false), a.Header.Get(resumable.Complete), a.body)
			}
		})
		t.Logf("memory grew by %.1f MiB, into %s", float64(growth)/(1<<20), name)
		require.LessOrEqual(t, growth, int64(maxParts), name)
	}
}
