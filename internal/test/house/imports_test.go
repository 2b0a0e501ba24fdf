package house_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// laws say which rooms never import which others, from the bottom of the house to its top. The rooms
// are patterns of the go command: "client" is one room, and "server/..." is server with all rooms
// below it. An exclamation mark takes rooms away again. Tests may import what they like.
var laws = []struct{ rooms, never, because string }{
	{"internal/...", "client server server/internal/... examples/...", "a base is under everything"},
	{"transcript/... batch/... library/... webhook/...", "client server/... examples/...", "the types of the API are under everything"},
	{"client/...", "server/... examples/...", "the client knows the service by its HTTP interface only"},
	{"server/...", "client/... examples/...", "programs run the service, and not the reverse"},

	{"server/engine/...", "server server/account server/store/... server/internal/...", "an adapter knows the engine's interface only"},
	{"server/... !server/engine/...", "server/engine/... !server/engine", "a main program wires the adapters"},
	{"server/internal/sqldb server/internal/blobs", "server/internal/db/... server/account server/store", "a database and a bucket know no rows"},
	{"server/internal/db/...", "server/account server/store server/internal/service", "rows know no rules"},

	// A request goes down: server, the doors, the service, its features, the three rooms of the work.
	{"server/internal/intake server/internal/step", "server/internal/recognize server/internal/work", "who may comes before what is done"},
	{"server/internal/recognize", "server/internal/work", "the work runs the steps, and the steps do not know who runs them"},
	{work, features, "the work is told what to do, and tells its listeners what has ended"},
	{"server/internal/... !server/internal/service " + doors, "server/internal/service", "the service puts the features and the work together"},
	{"server/internal/... " + doors, strings.ReplaceAll(doors, "!", ""), "the work does not know who sends requests"},
	{"server/internal/edge server/internal/openapi", "server/internal/api/... server/internal/mcp server/internal/openaiface " + work, "the edge stands around every request and knows no resource"},
	{"server/internal/...", "server", "package server mounts the doors"},

	{"examples/...", "internal/...", "an example does what any user can do"},
}

const (
	// doors are the rooms by which requests come in.
	doors = "!server/internal/edge !server/internal/api/... !server/internal/mcp !server/internal/openaiface !server/internal/openapi"
	// work are the rooms in which jobs are taken, done and queued.
	work = "server/internal/intake server/internal/recognize server/internal/work server/internal/step server/internal/queue"
	// features stand beside the work.
	features = "server/internal/batcher server/internal/follower server/internal/delivery server/internal/hooks " +
		"server/internal/corrections server/internal/shares server/internal/savedtexts server/internal/retention server/internal/uploads"
)

func TestImportsRunDown(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, law := range laws {
			if p.forTests() || !among(p.room(), law.rooms) {
				continue
			}
			for _, other := range p.own() {
				assert.False(t, among(other, law.never), "%s imports %s, but %s", p.room(), other, law.because)
			}
		}
	}
}

// among reports whether a room matches patterns. The last pattern that matches the room has the say.
func among(room, patterns string) (is bool) {
	for pattern := range strings.FieldsSeq(patterns) {
		pattern, without := strings.CutPrefix(pattern, "!")
		above, all := strings.CutSuffix(pattern, "/...")
		if room == above || all && under(room, above) {
			is = !without
		}
	}
	return is
}
