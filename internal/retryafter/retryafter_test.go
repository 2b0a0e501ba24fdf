package retryafter_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
)

const day = 24 * time.Hour

func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"0":                             0,
		"120":                           2 * time.Minute,
		" 120 ":                         2 * time.Minute,
		"0.2":                           200 * time.Millisecond,
		strings.Repeat("9", 400):        day,
		"999999999999999999999":         day,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
		"Sat, 02 Jan 2106 15:04:05 GMT": day,
	} {
		pause, ok := retryafter.Parse(http.Header{"Retry-After": {in}}, day)
		assert.True(t, ok, in)
		assert.Equal(t, want, pause, in)
	}
	at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	pause, ok := retryafter.Parse(http.Header{"Retry-After": {at}}, day)
	assert.True(t, ok)
	assert.InDelta(t, 90, pause.Seconds(), 2)
	for _, header := range []http.Header{nil, {"Retry-After": {""}}, {"Retry-After": {"soon"}}, {"Retry-After": {"NaN"}}, {"Retry-After": {"Inf"}},
		{"Retry-After": {"1e3"}}, {"Retry-After": {"0x10"}}, {"Retry-After": {"1_000"}}, {"Retry-After": {"-5"}}, {"Retry-After": {"+5"}}, {"Retry-After": {"."}}, {"Retry-After": {"1.2.3"}}} {
		_, ok := retryafter.Parse(header, day)
		assert.False(t, ok, header)
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]int{0: 0, 1: 1, time.Second: 1, 1200 * time.Millisecond: 2, day: 86400} {
		assert.Equal(t, want, retryafter.Seconds(in), in)
	}
}
