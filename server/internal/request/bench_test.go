package request_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
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

func BenchmarkReadJSON(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readAndCompare(b)
	}
}
