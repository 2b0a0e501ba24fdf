package service_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/work"
)

// Callers may rely on how long their jobs, and the answers under their idempotency keys,
// are kept: see docs/guides/limits.md.
func TestRetention(t *testing.T) {
	t.Parallel()
	kept := work.DefaultRetention()
	assert.Equal(t, 7*24*time.Hour, kept.Jobs)
	assert.Equal(t, 24*time.Hour, kept.Answers)
}
