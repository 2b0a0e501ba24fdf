package edge_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// A value in the log is cut, whoever logs it, and a crash's stack still is there.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	l := edge.SafeLog(slog.New(slog.NewTextHandler(&log, nil)))
	long := strings.Repeat("long", 100_000)
	l.With("a", long).WithGroup("g").Info(long, "b", long, "c", fmt.Errorf("why: %s", long), "d", []string{long},
		slog.Group("h", "e", long, "f", 1))
	assert.Less(t, len(log.String()), 26_000)
	for _, want := range []string{" a=longlong", " g.b=longlong", "g.c=\"why: long", " g.d=[long", " g.h.e=long", "g.h.f=1"} {
		assert.Contains(t, log.String(), want)
	}
}
