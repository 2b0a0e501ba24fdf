package page_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// tones writes a file in which each half second has a tone that is 50 Hz above the one before.
func tones(t *testing.T, seconds int) (path string) {
	t.Helper()
	const rate = 48_000
	var file bytes.Buffer
	for _, part := range []any{
		[]byte("RIFF"), uint32(36 + seconds*rate*2), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2 * rate), uint16(2), uint16(16),
		[]byte("data"), uint32(seconds * rate * 2),
	} {
		require.NoError(t, binary.Write(&file, binary.LittleEndian, part))
	}
	phase := 0.0
	for n := range seconds * rate {
		phase += 2 * math.Pi * (300 + 50*float64(n/(rate/2))) / rate
		require.NoError(t, binary.Write(&file, binary.LittleEndian, int16(8000*math.Sin(phase))))
	}
	path = filepath.Join(t.TempDir(), "tones.wav")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	return path
}

// heard returns the numbers of the tones in sound, one for each tenth of a second; silence is -6.
func heard(sound []byte) (numbers []int) {
	const tenth = 1600
	for ; len(sound) >= 2*tenth; sound = sound[2*tenth:] {
		rises, before := 0, int16(0)
		for n := range tenth {
			now := int16(binary.LittleEndian.Uint16(sound[2*n:])) //nolint:gosec // the bits of a sample
			if before < 0 && now >= 0 {
				rises++
			}
			before = now
		}
		numbers = append(numbers, int(math.Round(float64(rises*10-300)/50)))
	}
	return numbers
}

// recorder is a line between a page that records and the website. It takes what the page's storage
// takes, and cuts every third request that appends.
type recorder struct {
	badLine
	stored  map[int][]byte // by their offsets
	starts  []int          // the offset of the first piece of each stretch that one page has recorded
	appends int
	isNew   bool // no piece since the page was loaded
}

const storing = `{
	const put = IDBObjectStore.prototype.put;
	IDBObjectStore.prototype.put = function (value) {
		if (this.name === "pieces") fetch("/stored?offset=" + value.offset, { method: "POST", body: value.bytes.slice(0), keepalive: true }).catch(() => {});
		return put.call(this, value);
	};
}`

func newRecorder() *recorder {
	l := &recorder{stored: map[int][]byte{}}
	l.ends = func(w http.ResponseWriter, r *http.Request) { away(w, r, nil) }
	l.before = func(_ http.ResponseWriter, r *http.Request) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case r.URL.Path == "/stored":
			offset, _ := strconv.Atoi(r.FormValue("offset"))
			if l.isNew {
				l.starts, l.isNew = append(l.starts, offset), false
			}
			l.stored[offset], _ = io.ReadAll(r.Body)
			return true
		case r.URL.Path == "/record":
			l.isNew = true
		case r.Method == http.MethodPatch:
			l.carries = 1 << 40
			if l.appends++; l.appends%3 == 0 {
				l.carries = min(r.ContentLength, 20_000) // or only the answer is lost
			}
		}
		return false
	}
	return l
}

// sound returns what the page's storage has taken, in order.
func (l *recorder) sound() (whole []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for piece := l.stored[0]; piece != nil; piece = l.stored[len(whole)] {
		whole = append(whole, piece...)
	}
	return whole
}

// A recording over a line that is cut again and again, and over two reloads of the page, is one file
// with all that was said.
func TestBrowserRecordsAllThatIsSaid(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	line := newRecorder()
	defer s.between(line.carry)()
	page := browsertest.Start(t, browsertest.Microphone(tones(t, 30), "")...).Page(t, s.base)
	page.Expect(loadFaults, "beforeunload")
	page.Before(storing)
	page.Open("/record")
	browsertest.Eval[any](page, `keepMediaSec.value = "86400"`)
	page.Click("button", "Record")
	for _, until := range []string{"0:04", "0:06"} {
		page.Wait(`time.textContent >= "` + until + `"`)
		page.Reload()
		page.WaitText("#leftList", "recorded")
		browsertest.Eval[any](page, `document.querySelector("#leftList button").click()`)
		page.WaitText("#state", "Recording")
	}
	page.Wait(`time.textContent >= "0:08"`)
	page.Click("button", "Stop")
	page.WaitAt("^/transcripts/upload/")

	id, _, _ := strings.Cut(strings.TrimPrefix(page.At(), s.base+"/transcripts/upload/"), "?")
	file := s.get(t, "/web/v1/library/transcripts/upload/"+id+"/media")
	require.Equal(t, http.StatusOK, file.status, file.body)
	sound := line.sound()
	assert.Greater(t, len(sound), 8*32_000)
	assert.Len(t, file.body, 44+len(sound))
	assert.True(t, strings.HasSuffix(file.body, string(sound)), "the service has what the browser had")
	assert.Equal(t, 1, strings.Count(strings.Join(line.calls, ","), "POST"))
	assert.Greater(t, line.appends, 5, "every third is cut")
	require.Len(t, line.starts, 3)
	for n, start := range line.starts {
		end := append(line.starts, len(sound))[n+1]
		steps(t, heard(sound[start:end]))
	}
}

// steps holds tones to their order. The microphone may begin with silence, and a busy machine may
// spoil a tenth.
func steps(t *testing.T, tones []int) {
	t.Helper()
	last, seen := tones[5], 0
	for n := 5; n+1 < len(tones); n++ {
		middle := slices.Sorted(slices.Values(tones[n-1 : n+2]))[1]
		assert.Contains(t, []int{last, last + 1}, middle, "%v", tones)
		seen += middle - last
		last = middle
	}
	assert.Positive(t, seen, "%v", tones)
}
