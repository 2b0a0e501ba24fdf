package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

func TestTag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		now  queue.FairTime
		tag  int64
	}{
		{"nothing is known", queue.FairTime{}, 0},
		{"the last step that was taken", queue.FairTime{Served: new(int64(40)), Last: new(int64(90))}, 40},
		{"the first step that waits", queue.FairTime{Next: new(int64(70)), Last: new(int64(90))}, 70},
		{"a step runs, and the others wait much later", queue.FairTime{Served: new(int64(40)), Next: new(int64(70))}, 60},
		{"all accounts are even", queue.FairTime{Last: new(int64(90))}, 90},
	} {
		assert.Equal(t, c.tag, c.now.Tag(), c.what)
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	now := queue.FairTime{Served: new(int64(42))}
	assert.EqualValues(t, 60, now.Start(new(int64(60))), "an account with steps goes on after its last")
	assert.EqualValues(t, 39, now.Start(new(int64(20))), "an account that comes back is the first of the round")
	assert.EqualValues(t, 45, now.Start(nil), "a new account comes in the middle of the round")
	assert.EqualValues(t, 50, queue.FairFinish(42))
	assert.EqualValues(t, 50, queue.FairFinish(39), "the tag before a round belongs to the round")
}

func TestBefore(t *testing.T) {
	t.Parallel()
	single, batch := queue.Place{Priority: 1, Tag: 90}, queue.Place{Priority: 2, Tag: 10}
	assert.True(t, single.Before(batch))
	assert.False(t, batch.Before(single))
	assert.True(t, queue.Place{Priority: 1, Tag: 80}.Before(single))
	assert.False(t, single.Before(single))
}
