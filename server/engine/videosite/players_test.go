package videosite_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestBuiltInPlayers(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range videosite.Players() {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"ANDROID", "VISIONOS", "PAGE"}, names)
	visionos := videosite.Players()[1]
	for _, member := range []string{"userAgent", "deviceMake", "deviceModel", "osName", "osVersion"} {
		assert.NotEmpty(t, visionos.Context[member], member)
	}
	assert.False(t, visionos.Captions, "it gives media and often no captions")
}

// byPlayer answers each player by its name, and an unlisted one with 500.
func byPlayer(answers map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.Header.Get("X-Player")]
		switch {
		case !ok:
			http.Error(w, "not asked", http.StatusInternalServerError)
		case answer == "400":
			http.Error(w, "Precondition check failed.", http.StatusBadRequest)
		default:
			text(answer)(w, r)
		}
	}
}

func threePlayers() (all []videosite.Player) {
	for _, name := range []string{"A", "B", "C"} {
		all = append(all, videosite.Player{Name: name, Version: "1", Headers: map[string]string{"X-Player": name}, Captions: true})
	}
	return all
}

// The next player is asked where a player is refused as one, where it wants a token, and where
// it answers with nothing; and nowhere else.
func TestNextPlayer(t *testing.T) {
	t.Parallel()
	const (
		outdated = `{"playabilityStatus":{"status":"UNPLAYABLE","reason":"The following content is not available on this app."}}`
		bot      = `{"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"not a bot"}}`
		gone     = `{"playabilityStatus":{"status":"ERROR","reason":"This video has been removed"}}`
	)
	good, none := played(track("en", "", "/api/timedtext"), ""), played("", "")
	withheld := played(track("en", "", "/api/timedtext?exp=xpe"), "")
	tests := map[string]struct {
		a, b, c string
		code    transcript.Code // empty: there is a text
		asked   int
	}{
		"A is taken":                     {good, withheld, withheld, "", 1},
		"A is refused, B is taken":       {outdated, good, withheld, "", 2},
		"A is dead, B is taken":          {"400", good, withheld, "", 2},
		"A wants a token, B is taken":    {withheld, good, withheld, "", 2},
		"A says nothing, B is taken":     {" ", good, withheld, "", 2},
		"A is refused, B and C withhold": {outdated, withheld, withheld, transcript.POTokenRequired, 3},
		"A withholds, B and C refused":   {withheld, outdated, outdated, transcript.POTokenRequired, 3},
		"A withholds, B has none":        {withheld, none, none, transcript.POTokenRequired, 3},
		"all are refused":                {outdated, "400", outdated, transcript.UpstreamFailed, 3},
		"A meets a bot check":            {bot, good, good, transcript.IPBlocked, 1},
		"A says that it is gone":         {gone, good, good, transcript.Unavailable, 1},
		"A is refused, B is blocked":     {outdated, bot, good, transcript.IPBlocked, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{player: byPlayer(map[string]string{"A": test.a, "B": test.b, "C": test.c})}
			found, err := s.ask(t, videosite.Options{Players: threePlayers()})
			asked := 0
			for _, r := range s.requests {
				if r.Method == http.MethodPost {
					asked++
				}
			}
			assert.Equal(t, test.asked, asked)
			if test.code != "" {
				coded(t, err, test.code)
				assert.Nil(t, found.Track)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "hello & welcome", found.Segments[0].Text)
			last := s.requests[len(s.requests)-1]
			assert.Equal(t, string("ABC"[test.asked-1]), last.Header.Get("X-Player"), "the track is fetched as the player that names it")
		})
	}
}

// A question to a player takes its members and headers from the list.
func TestPlayerContext(t *testing.T) {
	t.Parallel()
	s := new(site)
	_, err := s.ask(t, videosite.Options{
		Players: []videosite.Player{{
			Name: "TV", Version: "2", Captions: true,
			Context: map[string]any{"deviceMake": "Maker", "androidSdkVersion": 30}, Headers: map[string]string{"user-agent": "tv/2"},
		}},
		Header: http.Header{"User-Agent": {"me"}},
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"context":{"client":{"clientName":"TV","clientVersion":"2","deviceMake":"Maker","androidSdkVersion":30}},"videoId":"`+id+`"}`, s.bodies[1])
	assert.Equal(t, "me", s.requests[0].Header.Get("User-Agent"), "the page belongs to no player")
	assert.Equal(t, "tv/2", s.requests[1].Header.Get("User-Agent"))
}

func TestReadPlayers(t *testing.T) {
	t.Parallel()
	const one = `"name":"A","version":"1","captions":true`
	many := strings.Repeat(`{`+one+`},`, 16)
	for text, says := range map[string]string{
		`[{` + one + `}]`: "",
		`[{` + one + `,"context":{"osName":"x","n":3},"headers":{"X-Y":"z"}},{"name":"PAGE"}]`: "",
		`[` + strings.TrimSuffix(many, ",") + `]`:                                              "",
		`[` + many + `{` + one + `}]`:                                                          "players: want at most 16 players",
		`[]`:                                                                                   "players: want 1 to 16 players",
		`null`:                                                                                 "players: want 1 to 16 players",
		`{}`:                                                                                   "players: must be a JSON list of objects",
		`[{`:                                                                                   "players: must be a JSON list of objects",
		`[null]`:                                                                               "players[0]: must be an object",
		`[{` + one + `},{"name":"B","build":"1"}]`: "players[1].build: no player has this member",
		`[{"name":"A"}]`:                                                          "players[0].version: must be",
		`[{"name":"android","version":"1"}]`:                                      "players[0].name: must be",
		`[{"name":7,"version":"1"}]`:                                              "players[0].name: must be a text",
		`[{"name":"A","version":null}]`:                                           "players[0].version: must be a text",
		`[{"name":"A","version":"1","captions":"yes"}]`:                           "players[0].captions: must be true or false",
		`[{"name":"A","version":"1"}]`:                                            `no player has "captions": true`,
		`[{"name":"PAGE","version":"1","captions":true}]`:                         "players[0]: the player PAGE sends nothing",
		`[{` + one + `,"context":{"clientName":"B"}}]`:                            "players[0].context.clientName: want a name",
		`[{` + one + `,"context":{"osName":["x"]}}]`:                              "players[0].context.osName: must be a number, or a text",
		`[{` + one + `,"context":{"osName":"` + strings.Repeat("x", 501) + `"}}]`: "players[0].context.osName: must be a number, or a text",
		`[{` + one + `,"context":{"os name":"x"}}]`:                               "players[0].context.os name: want a name",
		`[{` + one + `,"headers":{"Cookie":"a=b"}}]`:                              "players[0].headers.Cookie: the service sets this header itself",
		`[{` + one + `,"headers":{"host":"www.example"}}]`:                        "players[0].headers.host: the service sets this header itself",
		`[{` + one + `,"headers":{"X-Y":"a\r\nHost: www.example"}}]`:              "players[0].headers.X-Y: must be a line",
		`[{` + one + `,"headers":{"X Y":"a"}}]`:                                   "players[0].headers.X Y: is no name of a header",
		`[{` + one + `,"headers":{"X-Y":1}}]`:                                     "players[0].headers: must be an object of texts",
		`[{` + one + `,"context":{` + members(31) + `}}]`:                         "players[0].context: want at most 30 members",
		`[{` + one + `,"headers":{` + members(31) + `}}]`:                         "players[0].headers: want at most 30 headers",
		`[{` + one + `}` + strings.Repeat(" ", 64<<10) + `]`:                      "players: larger than 65536 bytes",
	} {
		_, err := videosite.ReadPlayers(strings.NewReader(text))
		if says == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, says, "%.80s", text)
	}
}

// members are that many members with texts.
func members(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"%c%c":"x"`, 'a'+i/26, 'a'+i%26))
	}
	return strings.Join(all, ",")
}

func TestPlayersOptions(t *testing.T) {
	t.Parallel()
	host := engine.Host{HTTP: http.DefaultClient}
	for says, o := range map[string]videosite.Options{
		"Players: players[0].version":   {Players: []videosite.Player{{Name: "A"}}},
		"Players: players: want 1 to":   {Players: []videosite.Player{}},
		"Players: players[0].context.x": {Players: []videosite.Player{{Name: "A", Version: "1", Context: map[string]any{"x": []int{1}}}}},
	} {
		_, err := videosite.New(host, o)
		require.ErrorContains(t, err, says)
	}
}

// playersNamed are n players that are the same.
func playersNamed(name string, n int) []videosite.Player {
	return slices.Repeat([]videosite.Player{{Name: name, Version: "1", Captions: true, Headers: map[string]string{"X-Player": name}}}, n)
}

// A wrong list leaves the list as it is.
func TestSetPlayers(t *testing.T) {
	t.Parallel()
	s := new(site)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	route, err := videosite.New(engine.Host{HTTP: server.Client()}, videosite.Options{Base: server.URL, Players: playersNamed("A", 1)})
	require.NoError(t, err)
	asked := func() string {
		_, err := route.Captions(t.Context(), engine.Content{ExternalID: id}, first)
		require.NoError(t, err)
		return s.requests[len(s.requests)-1].Header.Get("X-Player")
	}
	assert.Equal(t, "A", asked())
	require.NoError(t, route.SetPlayers(playersNamed("B", 1)))
	assert.Equal(t, "B", asked())
	require.ErrorContains(t, route.SetPlayers([]videosite.Player{{Name: "C"}}), "players[0].version")
	assert.Equal(t, "B", asked())
	require.NoError(t, route.SetPlayers(nil))
	assert.Empty(t, asked(), "the built-in list")
}

// Visits run while the list changes: each has one list from its beginning to its end.
func TestSetPlayersDuringVisits(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&site{player: byPlayer(map[string]string{"A": "400", "B": "400"})})
	t.Cleanup(server.Close)
	transport := &oneList{RoundTripper: server.Client().Transport}
	route, err := videosite.New(engine.Host{HTTP: &http.Client{Transport: transport}}, videosite.Options{Base: server.URL, Players: playersNamed("A", 3)})
	require.NoError(t, err)
	var visits sync.WaitGroup
	for n := range 8 {
		visits.Go(func() {
			for range 10 {
				ctx := t.Context()
				_, err := route.Captions(ctx, engine.Content{ExternalID: fmt.Sprintf("%s%d", id, n)}, first)
				assert.ErrorIs(t, err, transcript.UpstreamFailed)
			}
		})
	}
	for n := range 50 {
		assert.NoError(t, route.SetPlayers(playersNamed(string("AB"[n%2]), 3))) // the first two are refused
	}
	visits.Wait()
	assert.Zero(t, transport.mixed())
}

// oneList counts the questions of a video whose player is not that of the question before,
// within three questions of one visit.
type oneList struct {
	http.RoundTripper
	mu   sync.Mutex
	seen map[string][]string // the players of a video, in order
}

func (o *oneList) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(body); err != nil {
			return nil, err
		}
		_, video, _ := strings.Cut(text.String(), "videoId")
		o.mu.Lock()
		if o.seen == nil {
			o.seen = make(map[string][]string)
		}
		o.seen[video] = append(o.seen[video], r.Header.Get("X-Player"))
		o.mu.Unlock()
	}
	return o.RoundTripper.RoundTrip(r)
}

func (o *oneList) mixed() (n int) {
	for _, players := range o.seen {
		for i := 0; i+2 < len(players); i += 3 {
			if players[i] != players[i+1] || players[i] != players[i+2] {
				n++
			}
		}
	}
	return n
}
