package client_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestLargeUploadToAHostileService ends with an error that says what is wrong, after a few
// requests.
func TestLargeUploadToAHostileService(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Error("reached", r.Header) }))
	t.Cleanup(other.Close)
	is := func(call string) func(string) bool { return func(c string) bool { return c == call } }
	patches := func(call string) bool { return strings.HasPrefix(call, "PATCH") }
	broken := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
		panic(http.ErrAbortHandler)
	}
	grows := 0
	type answer = func(http.ResponseWriter, *http.Request)
	for name, tc := range map[string]struct {
		at     func(string) bool
		answer answer
		asked  answer // HEAD; nil: as the keeper
		says   string
	}{
		"address elsewhere":           {is("POST"), tells(201, "Upload-Complete", "?0", "Location", other.URL+"/v1/uploads/1"), nil, "not on the service itself"},
		"address with another scheme": {is("POST"), tells(201, "Upload-Complete", "?0", "Location", "ftp://x/1"), nil, "not on the service itself"},
		"address with a password":     {is("POST"), tells(201, "Upload-Complete", "?0", "Location", "//u:p@"+strings.TrimPrefix(other.URL, "http://")), nil, "not on the service itself"},
		"address that is none":        {is("POST"), tells(201, "Upload-Complete", "?0", "Location", "http://[::1"), nil, "not on the service itself"},
		"redirected elsewhere":        {patches, tells(307, "Location", other.URL), nil, "307"},
		"asked elsewhere":             {patches, broken, tells(307, "Location", other.URL), "307"},
		"limit that is none":          {is("POST"), tells(201, "Upload-Complete", "?0", "Location", "/1", "Upload-Limit", "max-append-size=x"), nil, "max-append-size"},
		"tiny appends":                {is("POST"), tells(201, "Upload-Complete", "?0", "Location", "/1", "Upload-Limit", "max-append-size=1"), nil, "only 1 bytes at once"},
		"too large after all":         {is("POST"), tells(201, "Upload-Complete", "?0", "Location", "/1", "Upload-Limit", "max-size=1000"), nil, "uploads of up to 1000 bytes, and the file has 16789561: send a smaller file"},
		"more than was sent":          {patches, broken, tells(204, "Upload-Offset", "16000000"), "says that it has 16000000 bytes of the file, and was sent"},
		"more than there is":          {patches, broken, tells(204, "Upload-Offset", "17000000"), "says that it has 17000000 bytes of the file, and was sent"},
		"a negative offset":           {patches, broken, tells(204, "Upload-Offset", "-1"), "Upload-Offset must be"},
		"an offset beyond numbers":    {patches, broken, tells(204, "Upload-Offset", "99999999999999999999"), "Upload-Offset must be"},
		"no offset":                   {patches, broken, tells(204), "does not say how many bytes"},
		"another length":              {patches, broken, tells(204, "Upload-Offset", "0", "Upload-Length", "5"), "the upload has 5 bytes, and the file 16789561"},
		"whole too early":             {patches, broken, tells(204, "Upload-Offset", "0", "Upload-Complete", "?1"), "whole with 0 of 16789561"},
		"conflicts without an end":    {patches, tells(409, "Upload-Offset", "0", "Upload-Complete", "?0"), nil, "409"},
		"conflict beyond the file":    {patches, tells(409, "Upload-Offset", "17000000"), nil, "says that it has 17000000 bytes"},
		"conflict without an offset":  {patches, tells(409), nil, "409"},
		"nothing ever arrives":        {patches, broken, nil, "client: PATCH /v1/uploads/"},
		"a byte arrives each time": {patches, broken, func(w http.ResponseWriter, r *http.Request) {
			grows++
			tells(204, "Upload-Offset", strconv.Itoa(grows))(w, r)
		}, "client: PATCH /v1/uploads/"},
		"success that is none": {patches, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusNoContent)
		}, nil, "not what the API promises"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{hook: func(w http.ResponseWriter, r *http.Request, call string) bool {
				switch {
				case tc.at(call):
					tc.answer(w, r)
					return true
				case call == "HEAD" && tc.asked != nil:
					tc.asked(w, r)
					return true
				}
				return false
			}}
			err := submit(t, served(t, k.ServeHTTP))
			require.ErrorContains(t, err, tc.says)
			assert.NotContains(t, err.Error(), key)
			assert.NotContains(t, err.Error(), "u:p")
			assert.LessOrEqual(t, len(k.calls), 9, "%v", k.calls)
			if !strings.HasPrefix(tc.says, "client:") { // the connection broke
				var told *client.Error
				require.ErrorAs(t, err, &told)
				assert.Equal(t, map[string]string{http.MethodPost: "/v1/transcript"}[told.Method], strings.TrimSuffix(told.Path, "/v1/uploads/1"), "the step that failed")
			}
		})
	}
}

// TestLargeUploadGoesBack: what the service has said to have, it must keep.
func TestLargeUploadGoesBack(t *testing.T) {
	t.Parallel()
	heads := 0
	k := &keeper{cut: 2 << 20}
	k.hook = func(w http.ResponseWriter, r *http.Request, call string) bool {
		if call != "HEAD" {
			return false
		}
		if heads++; heads == 2 {
			tells(204, "Upload-Offset", "1048576")(w, r)
		}
		return heads == 2
	}
	err := submit(t, served(t, k.ServeHTTP))
	require.ErrorContains(t, err, "says that it has 1048576 bytes of the file, and had 2097152 before")
}

// TestLargeUploadWithLiesAboutParts: an answer to a part that tells another end.
func TestLargeUploadWithLiesAboutParts(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{
		"less":   {"Upload-Offset", "5"},
		"more":   {"Upload-Offset", "8388609"},
		"whole":  {"Upload-Complete", "?1"},
		"absurd": {"Upload-Offset", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{says: "max-append-size=8388608"}
			k.hook = func(w http.ResponseWriter, r *http.Request, call string) bool {
				if call != "PATCH 0" {
					return false
				}
				_, _ = io.Copy(io.Discard, r.Body)
				tells(204, header...)(w, r)
				return true
			}
			err := submit(t, served(t, k.ServeHTTP))
			require.ErrorContains(t, err, "sent up to byte 8388608 of 16789561, and the answer tells another end")
		})
	}
}

// TestLargeUploadSourceFails: what is wrong with the file is said as such, also where the upload
// goes on, and what the service has of the file is removed.
func TestLargeUploadSourceFails(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("disk on fire")
	whole := func() io.Reader { return bytes.NewReader(large()) }
	size := int64(len(large()))
	for name, tc := range map[string]struct {
		second func() (io.Reader, error) // the file as it is when the upload goes on
		says   string
	}{
		"gone": {func() (io.Reader, error) { return nil, errDisk }, "client: upload: disk on fire"},
		"read fails": {func() (io.Reader, error) {
			return io.MultiReader(io.LimitReader(whole(), 9<<20), failing{errDisk}), nil
		}, "client: upload: disk on fire"},
		"skipping fails":   {func() (io.Reader, error) { return iotest.ErrReader(errDisk), nil }, "client: upload: disk on fire"},
		"shrunk":           {func() (io.Reader, error) { return io.LimitReader(whole(), 9<<20), nil }, "the file ends after 9437184 of 16789561 bytes"},
		"cut off":          {func() (io.Reader, error) { return io.LimitReader(whole(), 1<<20), nil }, "the file ends after 1048576 bytes, of which 8388608 are sent already"},
		"fails at its end": {func() (io.Reader, error) { return io.MultiReader(whole(), failing{errDisk}), nil }, "client: upload: disk on fire"},
		"grown":            {func() (io.Reader, error) { return io.MultiReader(whole(), strings.NewReader("x")), nil }, "the file is longer than its size of 16789561 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{cut: 8 << 20}
			k.hook = func(_ http.ResponseWriter, _ *http.Request, call string) bool {
				if call == "HEAD" {
					k.cut = 0
				}
				return false
			}
			opened := 0
			source := transcript.Media("talk.wav", size, func() (io.ReadCloser, error) {
				if opened++; opened == 1 {
					return io.NopCloser(whole()), nil
				}
				r, err := tc.second()
				return io.NopCloser(r), err
			})
			c := served(t, k.ServeHTTP)
			_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: source})
			require.ErrorContains(t, err, tc.says)
			assert.False(t, k.whole, "a file that is not what it was never arrives whole")
			assert.Equal(t, "DELETE", k.calls[len(k.calls)-1])
			assert.Equal(t, 2, opened)
		})
	}
}
