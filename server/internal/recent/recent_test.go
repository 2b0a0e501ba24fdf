package recent_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/recent"
)

// A model that forgets by the same rule has the same things at each moment, and there
// are never more bytes than there is room for.
func TestThings(t *testing.T) {
	t.Parallel()
	const room = 100
	type thing struct{ key, value, bytes int }
	rapid.Check(t, func(t *rapid.T) {
		things := recent.New[int, int](room)
		var model []thing // asked for last is last
		find := func(key int) int {
			for i, m := range model {
				if m.key == key {
					return i
				}
			}
			return -1
		}
		drop := func(i int) { model = append(model[:i:i], model[i+1:]...) }
		for step := range 60 {
			key := rapid.IntRange(0, 12).Draw(t, "key")
			at := find(key)
			if rapid.Bool().Draw(t, "get") {
				value, ok := things.Get(key)
				require.Equal(t, at >= 0, ok)
				if ok {
					require.Equal(t, model[at].value, value)
					m := model[at]
					drop(at)
					model = append(model, m)
				}
				continue
			}
			bytes := rapid.IntRange(0, room).Draw(t, "bytes")
			things.Put(key, step, bytes)
			if bytes > room/2 {
				continue
			}
			if at >= 0 {
				drop(at)
			}
			model = append(model, thing{key, step, bytes})
			sum := func() (n int) {
				for _, m := range model {
					n += m.bytes
				}
				return n
			}
			for sum() > room {
				drop(0)
			}
			require.Equal(t, sum(), things.Bytes())
			require.LessOrEqual(t, things.Bytes(), room)
		}
	})
}

func TestThingsOfMany(t *testing.T) {
	t.Parallel()
	things := recent.New[string, int](1000)
	var users sync.WaitGroup
	for user := range 8 {
		users.Go(func() {
			for i := range 500 {
				key := fmt.Sprint((i * (user + 1)) % 40)
				if v, ok := things.Get(key); ok {
					assert.Equal(t, key, fmt.Sprint(v))
				}
				things.Put(key, (i*(user+1))%40, 50)
			}
		})
	}
	users.Wait()
	assert.LessOrEqual(t, things.Bytes(), 1000)
}
