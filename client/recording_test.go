package client_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
)

var recordingID = strings.Repeat("0a", 16)

// cutting serves content, and cuts each answer after so many bytes.
func cutting(content []byte, etag func() string, each int, asked *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("ETag", etag())
		http.ServeContent(&cutWriter{ResponseWriter: w, left: each}, r, "", time.Time{}, bytes.NewReader(content))
	}
}

// cutWriter cuts the connection after some bytes.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b[:min(len(b), w.left)])
	if w.left -= n; err == nil && n < len(b) {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // what was written arrives
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// A download goes on where a connection broke, and asks for the rest alone.
func TestMediaGoesOn(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789"), 10_000)
	for name, p := range map[string]client.MediaParams{
		"whole": {}, "from the middle": {Offset: 12_345}, "a part": {Offset: 1, Length: 77_777}, "of the copy": {Copy: library.PlayingCopy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			c := served(t, func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/v1/library/transcripts/upload/"+recordingID+"/media", r.URL.Path)
				assert.Equal(t, string(p.Copy), r.URL.Query().Get("copy"))
				cutting(content, func() string { return `"a"` }, 30_000, &asked)(w, r)
			})
			file, err := c.Library.Media(t.Context(), recordingID, p)
			require.NoError(t, err)
			defer file.Close()
			got, err := io.ReadAll(file)
			require.NoError(t, err)
			want := content[p.Offset:]
			if p.Length > 0 {
				want = want[:p.Length]
			}
			assert.EqualValues(t, len(want), file.Size)
			assert.True(t, bytes.Equal(want, got))
			assert.EqualValues(t, (len(want)+29_999)/30_000, asked.Load())
		})
	}
}

// A file that has changed meanwhile is not joined to another, and a connection that brings nothing
// is not made again and again.
func TestMediaBreaksOff(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789"), 10_000)
	var asked, tags atomic.Int32
	changed := served(t, cutting(content, func() string { return fmt.Sprintf(`"%d"`, tags.Add(1)) }, 30_000, &asked))
	gone := served(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1); r.Header.Get("Range") != "" {
			writeJSON(w, http.StatusNotFound, object{"error": object{"code": "NO_TRANSCRIPT", "message": "Gone."}})
			return
		}
		cutting(content, func() string { return `"a"` }, 30_000, &asked)(w, r)
	})
	ignoring := served(t, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		cutting(content, func() string { return `"a"` }, 30_000, &asked)(w, r)
	})
	silent := served(t, cutting(content, func() string { return `"a"` }, 0, &asked))
	for name, c := range map[string]struct {
		client *client.Client
		says   string
	}{
		"changed": {changed, "was replaced"}, "gone": {gone, "NO_TRANSCRIPT"}, "ignoring ranges": {ignoring, "was replaced"}, "silent": {silent, "EOF"},
	} {
		file, err := c.client.Library.Media(t.Context(), recordingID, client.MediaParams{})
		require.NoError(t, err, name)
		got, err := io.ReadAll(file)
		require.ErrorContains(t, err, c.says, name)
		assert.LessOrEqual(t, len(got), 30_000, name)
		require.NoError(t, file.Close(), name)
	}
	_, err := ignoring.Library.Media(t.Context(), recordingID, client.MediaParams{Offset: 5})
	require.ErrorContains(t, err, "other bytes")
	for _, p := range []client.MediaParams{{Offset: -1}, {Length: -1}, {Offset: 1, Length: 1<<63 - 1}} {
		_, err := ignoring.Library.Media(t.Context(), recordingID, p)
		require.ErrorContains(t, err, "no part of a recording")
	}
}

// A part of a recording is the part that is asked for, and all of it. Nothing goes on by a weak ETag,
// which names several forms of a file.
func TestMediaOfOtherLengths(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		span string // Content-Range; empty: the answer is a 200
		tag  string
		body string // of the answer to bytes 2 to 5 of 10
		says string // empty: it is read
	}{
		"as asked":                  {"bytes 2-5/10", `"a"`, "2345", ""},
		"of an unknown size":        {"bytes 2-5/*", `"a"`, "2345", ""},
		"shorter than the range":    {"bytes 2-5/10", `"a"`, "234", "Content-Range"},
		"longer than the range":     {"bytes 2-5/10", `"a"`, "23456", "Content-Range"},
		"less than asked":           {"bytes 2-4/10", `"a"`, "234", "other bytes"},
		"more than asked":           {"bytes 2-9/10", `"a"`, "23456789", "other bytes"},
		"beyond the file":           {"bytes 2-5/4", `"a"`, "2345", "other bytes"},
		"backwards":                 {"bytes 2-1/10", `"a"`, "", "other bytes"},
		"no numbers":                {"bytes 2-x/10", `"a"`, "2345", "other bytes"},
		"without a range":           {"", `"a"`, "2345", "other bytes"},
		"announced with its length": {"bytes 2-5/10", `"a"`, "announced 23456", "Content-Range"},
	} {
		c := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", tc.tag)
			status := http.StatusOK
			if tc.span != "" {
				w.Header().Set("Content-Range", tc.span)
				status = http.StatusPartialContent
			}
			body, announced := strings.CutPrefix(tc.body, "announced ")
			if announced {
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			}
			w.WriteHeader(status)
			if !announced {
				_ = http.NewResponseController(w).Flush() // the length is not known
			}
			_, _ = io.WriteString(w, body) // a client that is gone fails the test
		})
		file, err := c.Library.Media(t.Context(), recordingID, client.MediaParams{Offset: 2, Length: 4})
		var got []byte
		if err == nil {
			got, err = io.ReadAll(file)
			require.NoError(t, file.Close(), name)
		}
		if tc.says == "" {
			require.NoError(t, err, name)
			assert.Equal(t, "2345", string(got), name)
			continue
		}
		require.ErrorContains(t, err, tc.says, name)
	}

	var asked atomic.Int32
	weak := served(t, cutting(bytes.Repeat([]byte("0123456789"), 10_000), func() string { return `W/"a"` }, 30_000, &asked))
	file, err := weak.Library.Media(t.Context(), recordingID, client.MediaParams{})
	require.NoError(t, err)
	_, err = io.ReadAll(file)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NoError(t, file.Close())
	assert.EqualValues(t, 1, asked.Load())
}
