package house_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNamesAreApart finds two packages whose names differ by a plural only. Nobody remembers which of
// two such packages does what.
func TestNamesAreApart(t *testing.T) {
	t.Parallel()
	rooms := map[string]string{} // by name
	for _, p := range packages(t) {
		rooms[p.Name] = p.room()
	}
	for name, room := range rooms {
		for _, plural := range []string{name + "s", name + "es"} {
			assert.Empty(t, rooms[plural], "%s and the package beside it", room)
		}
	}
}
