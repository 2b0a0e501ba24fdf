package cluster_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// A process is dead after six looks, five seconds apart, without a new sign of life. No
// clock counts, and neither does the time between two looks.
func TestProcessIsDeadAfterSixSilentLooks(t *testing.T) {
	t.Parallel()
	var census cluster.Census
	at := func(id string, beats int) queue.Process { return queue.Process{ID: id, Sign: strconv.Itoa(beats)} }
	assert.Empty(t, census.Dead([]queue.Process{at("still", 7), at("slow", 1)}))
	for i := range 5 {
		assert.Empty(t, census.Dead([]queue.Process{at("still", 7), at("slow", 1+i/3)}), "look %d", i)
	}
	assert.Equal(t, []queue.Process{at("still", 7)}, census.Dead([]queue.Process{at("still", 7), at("slow", 3)}))
	assert.Empty(t, census.Dead([]queue.Process{at("slow", 3)}))
	assert.Empty(t, census.Dead([]queue.Process{at("slow", 3), at("still", 7)}), "a process that came back counts from the start")
}

// A process is dead if two glances in a row find its session ended, and it has given no sign of
// life in between.
func TestProcessIsDeadAfterTwoGlances(t *testing.T) {
	t.Parallel()
	var glances cluster.Glances
	at := func(id string, beats int) queue.Process { return queue.Process{ID: id, Sign: strconv.Itoa(beats)} }
	usual := glances.Pause()
	assert.Empty(t, glances.Dead([]queue.Process{at("dead", 1), at("connects", 1), at("beats", 1)}))
	assert.Less(t, glances.Pause(), usual, "the next glance comes soon")
	assert.Equal(t, []queue.Process{at("dead", 1)}, glances.Dead([]queue.Process{at("dead", 1), at("beats", 2)}))
	assert.Empty(t, glances.Dead(nil))
	assert.Equal(t, usual, glances.Pause())
	assert.Empty(t, glances.Dead([]queue.Process{at("connects", 1)}), "the glances were not in a row")
}
