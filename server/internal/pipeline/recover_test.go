package pipeline_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
)

// TestDeadIsWhoHasBeenSilentForSixLooks, five seconds apart: whatever any clock
// says, and however long the observer has slept between two of them.
func TestDeadIsWhoHasBeenSilentForSixLooks(t *testing.T) {
	t.Parallel()
	look := pipeline.Census()
	at := func(id string, beats int) db.Process { return db.Process{ID: id, Sign: strconv.Itoa(beats)} }
	assert.Empty(t, look([]db.Process{at("still", 7), at("slow", 1)}))
	for i := range 5 {
		assert.Empty(t, look([]db.Process{at("still", 7), at("slow", 1+i/3)}), "look %d", i)
	}
	assert.Equal(t, []db.Process{at("still", 7)}, look([]db.Process{at("still", 7), at("slow", 3)}))
	assert.Empty(t, look([]db.Process{at("slow", 3)}))
	assert.Empty(t, look([]db.Process{at("slow", 3), at("still", 7)}), "who has come back counts from the start")
}
