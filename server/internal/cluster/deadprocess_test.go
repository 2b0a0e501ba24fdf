package cluster_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// A process is dead after six looks, five seconds apart, without a new sign of life. No
// clock counts, and neither does the time between two looks.
func TestProcessIsDeadAfterSixSilentLooks(t *testing.T) {
	t.Parallel()
	var census cluster.Census
	at := func(id string, beats int) db.Process { return db.Process{ID: id, Sign: strconv.Itoa(beats)} }
	assert.Empty(t, census.Dead([]db.Process{at("still", 7), at("slow", 1)}))
	for i := range 5 {
		assert.Empty(t, census.Dead([]db.Process{at("still", 7), at("slow", 1+i/3)}), "look %d", i)
	}
	assert.Equal(t, []db.Process{at("still", 7)}, census.Dead([]db.Process{at("still", 7), at("slow", 3)}))
	assert.Empty(t, census.Dead([]db.Process{at("slow", 3)}))
	assert.Empty(t, census.Dead([]db.Process{at("slow", 3), at("still", 7)}), "a process that came back counts from the start")
}
