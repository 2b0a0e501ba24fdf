package request_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
)

// ordinary is a body such as most clients send.
const ordinary = `{"url":"x","language":"en,de","format":"json","times":true,"loud":false,"waitMs":2000}`

// readAndCompare does with a body what every POST does.
func readAndCompare(tb testing.TB) {
	table := new(order).table()
	if err := table.ReadJSON([]byte(ordinary)); err != nil {
		tb.Fatal(err)
	}
	if _, err := json.Marshal(table.Canonical()); err != nil {
		tb.Fatal(err)
	}
}

// The table of a request is made for it alone, so making one must stay cheap.
func TestReadingCostsLittle(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { readAndCompare(t) }), 235.0)
}

// byHand reads the body into a struct and checks the fields, and does nothing else.
func byHand(from io.Reader) error {
	var body struct {
		URL, Language, Format string
		Times, Loud           bool
		WaitMS                int
	}
	strict := json.NewDecoder(from)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&body); err != nil {
		return err
	}
	if body.URL == "" || len(body.URL) > 2048 || len(body.Language) > 100 ||
		body.Format != "json" && body.Format != "text" || body.WaitMS < 0 || body.WaitMS > 10_000 {
		return errors.New("out of bounds")
	}
	return nil
}

// BenchmarkReadJSON compares a handler that reads a small POST as the service does with a
// handler of a strict decoder and checks that are written by hand. The two take turns.
func BenchmarkReadJSON(b *testing.B) {
	row := ratio.Row{
		Name: "read and check of a small POST, of a handler by hand", AtMost: 2.7,
		Missed: "a table is made for each request, and writes the body once more for the idempotency key",
	}
	if !ratio.Wanted(row.Name) {
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /ours", func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			b.Error(err)
		}
		readAndCompare(b)
	})
	mux.HandleFunc("POST /theirs", func(_ http.ResponseWriter, r *http.Request) {
		if err := byHand(r.Body); err != nil {
			b.Error(err)
		}
	})
	post := func(path string) time.Duration {
		began := time.Now()
		for range reads {
			mux.ServeHTTP(nil, httptest.NewRequestWithContext(b.Context(), http.MethodPost, path, strings.NewReader(ordinary)))
		}
		return time.Since(began) / reads
	}
	for b.Loop() {
		for range 21 {
			ours, theirs := post("/ours"), post("/theirs")
			row.Ratios = append(row.Ratios, float64(ours)/float64(theirs))
			row.Note = fmt.Sprintf("%v of %v", ours, theirs)
		}
		row.Report(b)
	}
}

// reads is how many requests are one turn.
const reads = 500
