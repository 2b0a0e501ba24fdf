package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// toneCount is how many tones follow each other before the first one comes again.
const toneCount = 60

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
		phase += 2 * math.Pi * (300 + 50*float64(n/(rate/2)%toneCount)) / rate
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

// recorder is a line between a page that records and the website. It learns what the page stores, and
// cuts some of the requests that append: the answer to each second one is lost, and the end of the
// others.
type recorder struct {
	website *httputil.ReverseProxy
	cuts    int // one of so many requests

	mu      sync.Mutex
	stored  map[int][]byte // pieces by their offsets
	starts  []int          // the offset of the first piece of each page
	isNew   bool           // no piece since the page was loaded
	appends int
}

const storing = `{
	const put = IDBObjectStore.prototype.put;
	IDBObjectStore.prototype.put = function (value) {
		if (this.name === "pieces") fetch("/stored?offset=" + value.offset, { method: "POST", body: value.bytes.slice(0), keepalive: true }).catch(() => {});
		return put.call(this, value);
	};
}`

// newRecorder returns a line to a website, and its other end.
func newRecorder(t *testing.T, website string, cuts int) (*recorder, string) {
	t.Helper()
	to, err := url.Parse(website)
	require.NoError(t, err)
	l := &recorder{stored: map[int][]byte{}, cuts: cuts, website: &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host },
		ErrorLog: log.New(io.Discard, "", 0),
	}}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	return l, server.URL
}

func (l *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/stored":
		l.store(r)
	case r.Method == http.MethodPatch && l.cut():
		kept := r.ContentLength
		if l.appends/l.cuts%2 == 0 {
			kept /= 2
		}
		r.Body = io.NopCloser(io.LimitReader(r.Body, kept))
		l.website.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	default:
		if r.URL.Path == "/record" {
			l.mu.Lock()
			l.isNew = true
			l.mu.Unlock()
		}
		l.website.ServeHTTP(w, r)
	}
}

func (l *recorder) cut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.appends++
	return l.appends%l.cuts == 0
}

func (l *recorder) store(r *http.Request) {
	offset, _ := strconv.Atoi(r.FormValue("offset"))
	piece, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isNew {
		l.starts, l.isNew = append(l.starts, offset), false
	}
	l.stored[offset] = piece
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

// A recording over a line that is cut again and again, over two reloads of the page, and while the
// website is killed, is one file with all that was said. It lasts ten minutes, and with -short some
// seconds.
func TestBrowserRecordsAllThatIsSaid(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	parts, cuts := []int{180, 180, 120, 120}, 30 // seconds, and one cut in so many
	if testing.Short() {
		parts, cuts = []int{3, 2, 2, 2}, 3
	}
	_, asr := newRecognizer(t) // which hears no speech in tones
	dir := t.TempDir()
	flags := []string{"--single-user", "--no-demo", asr, "--db=sqlite:" + filepath.Join(dir, "website.db"), "--blobs=" + filepath.Join(dir, "blobs")}
	address, kill := startProcess(t, append(flags, "--listen=127.0.0.1:0")...)
	line, base := newRecorder(t, address, cuts)
	page := browsertest.Start(t, browsertest.Microphone(tones(t, parts[0]+60))...).Page(t, base)
	page.Expect(`Failed to load resource|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET`, "beforeunload")
	page.Before(storing)
	page.Open("/record")
	browsertest.Eval[any](page, `keepMediaSec.value = "86400"`)
	page.Click("button", "Record")
	until := 0
	for n, part := range parts {
		for range part {
			until++
			page.Wait(`time.textContent.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) >= ` + strconv.Itoa(until))
		}
		switch n {
		case 0, 2:
			page.Reload()
			page.WaitText("#leftList", "recorded")
			browsertest.Eval[any](page, `document.querySelector("#leftList button").click()`)
			page.WaitText("#state", "Recording")
		case 1:
			kill()
			page.WaitText("#line", "The connection is lost")
			startProcess(t, append(flags, "--listen="+strings.Trim(strings.TrimPrefix(address, "http://"), "/"))...)
		}
	}
	page.Click("button", "Stop")
	page.WaitAt("^/transcripts/upload/")

	id, _, _ := strings.Cut(strings.TrimPrefix(page.At(), base+"/transcripts/upload/"), "?")
	file := load(t, base+"/web/v1/library/transcripts/upload/"+id+"/media")
	sound := line.sound()
	assert.Greater(t, len(sound), until*32_000)
	assert.Len(t, file, 44+len(sound))
	assert.True(t, bytes.HasSuffix(file, sound), "the service has what the browser had")
	t.Logf("%d bytes in %d requests", len(file), line.appends)
	require.Len(t, line.starts, 3)
	for n, start := range line.starts {
		steps(t, heard(sound[start:append(line.starts, len(sound))[n+1]]))
	}
}

func load(t *testing.T, address string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	whole, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, string(whole[:min(len(whole), 300)]))
	return whole
}

// steps holds tones to their order. The microphone may begin with silence, and a busy machine may
// spoil a tenth.
func steps(t *testing.T, tones []int) {
	t.Helper()
	last, seen := tones[5], 0
	for n := 5; n+1 < len(tones); n++ {
		middle := slices.Sorted(slices.Values(tones[n-1 : n+2]))[1]
		if last == toneCount-1 && middle != 0 {
			continue // the last tone, or the tenth of a second in which it meets the first one
		}
		if middle != last {
			require.Equal(t, (last+1)%toneCount, middle, "%v", tones)
			seen++
		}
		last = middle
	}
	assert.Positive(t, seen, "%v", tones)
}
