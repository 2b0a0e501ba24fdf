package videosite

import (
	"bytes"
	_ "embed" // players.json
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
)

// Player is a player of the site that the route names in its requests. The site stops
// accepting some player about every month, so the list can be changed.
type Player struct {
	// Name is the site's name of the player, as in "ANDROID". [InPage] is the player in
	// the page of the video.
	Name string
	// Version is the version of the player; InPage has none.
	Version string
	// Context holds further members of the context that the player sends about itself,
	// such as deviceMake, deviceModel, osName, osVersion and userAgent. Each value is a
	// string or a number.
	Context map[string]any
	// Headers are set on the requests of the player, over those of [Options].Header.
	Headers map[string]string
	// Captions reports that the player names the captions of every video that has captions.
	// Only the answer of such a player proves that a video has none.
	Captions bool
}

// InPage is the name of the player in the page of the video. The page contains this
// player's answer, so that the route needs no further request.
const InPage = "PAGE"

//go:embed players.json
var builtin []byte

// Players returns the built-in list: ANDROID, VISIONOS, then the player in the page.
func Players() []Player {
	all, err := parsePlayers(builtin)
	if err != nil {
		panic(err) // a test reads the list
	}
	return all
}

// The limits of a list of players.
const (
	maxPlayersFile = 64 << 10 // bytes
	maxPlayers     = 16
	maxMembers     = 30  // of a context, or headers
	maxValue       = 500 // bytes
)

var (
	playerName  = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,49}$`)
	versionForm = regexp.MustCompile(`^[\w.-]{1,50}$`)
	memberName  = regexp.MustCompile(`^[A-Za-z]{1,50}$`)
	headerName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,49}$`)
	plainText   = regexp.MustCompile(`^[\x20-\x7e]*$`)
)

// ReadPlayers reads a list of players: a JSON list of objects with the members name, version,
// context, headers and captions, at most 64 KiB and 16 players. The error names the first
// unknown or wrong member, as in "players[1].version".
func ReadPlayers(r io.Reader) ([]Player, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPlayersFile+1))
	if err != nil {
		return nil, fmt.Errorf("videosite: read the players: %w", err)
	}
	all, err := parsePlayers(text)
	if err != nil {
		return nil, fmt.Errorf("videosite: %w", err)
	}
	return all, nil
}

func parsePlayers(text []byte) ([]Player, error) {
	if len(text) > maxPlayersFile {
		return nil, fmt.Errorf("players: larger than %d bytes", maxPlayersFile)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("players: must be a JSON list of objects: %w", err)
	}
	if len(list) > maxPlayers {
		return nil, fmt.Errorf("players: want at most %d players", maxPlayers)
	}
	all := make([]Player, len(list))
	for i, text := range list {
		if err := parsePlayer(text, &all[i]); err != nil {
			return nil, fmt.Errorf("players[%d]%w", i, err)
		}
	}
	return all, checkPlayers(all)
}

// parsePlayer reads a player member by member, because an error names the place of the fault.
func parsePlayer(text []byte, p *Player) error {
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return errors.New(": must be an object")
	}
	known := map[string]any{"name": &p.Name, "version": &p.Version, "context": &p.Context, "headers": &p.Headers, "captions": &p.Captions}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		to, ok := known[name]
		if !ok {
			return fmt.Errorf(".%s: no player has this member: want name, version, context, headers or captions", name)
		}
		if err := json.Unmarshal(members[name], to); err != nil || bytes.Equal(members[name], []byte("null")) {
			return fmt.Errorf(".%s: must be %s", name, map[string]string{
				"name": "a text", "version": "a text", "captions": "true or false",
				"context": "an object of texts and numbers", "headers": "an object of texts",
			}[name])
		}
	}
	return nil
}

// checkPlayers returns an error that names the first wrong member.
func checkPlayers(all []Player) error {
	if len(all) == 0 || len(all) > maxPlayers {
		return fmt.Errorf("players: want 1 to %d players", maxPlayers)
	}
	for i, p := range all {
		if err := p.check(); err != nil {
			return fmt.Errorf("players[%d]%w", i, err)
		}
	}
	if !slices.ContainsFunc(all, func(p Player) bool { return p.Captions }) {
		return errors.New(`players: no player has "captions": true, so no answer could prove that a video has no captions`)
	}
	return nil
}

func (p Player) check() error {
	if !playerName.MatchString(p.Name) {
		return errors.New(`.name: must be the site's name of a player, as "ANDROID", or "PAGE"`)
	}
	if p.Name == InPage {
		if p.Version != "" || len(p.Context) > 0 || len(p.Headers) > 0 {
			return errors.New(": the player PAGE sends nothing: leave out version, context and headers")
		}
		return nil
	}
	if !versionForm.MatchString(p.Version) {
		return errors.New(`.version: must be 1 to 50 letters, digits, ".", "_" or "-"`)
	}
	if len(p.Context) > maxMembers {
		return fmt.Errorf(".context: want at most %d members", maxMembers)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Context)) {
		if !memberName.MatchString(name) || name == "clientName" || name == "clientVersion" {
			return fmt.Errorf(".context.%.50s: want a name of 1 to 50 letters, neither clientName nor clientVersion", name)
		}
		if !isScalar(p.Context[name]) {
			return fmt.Errorf(".context.%s: must be a number, or a text of at most %d bytes", name, maxValue)
		}
	}
	return p.checkHeaders()
}

// ours are the headers that the route and its client set by themselves.
var ours = []string{"Host", "Content-Length", "Content-Type", "Connection", "Transfer-Encoding", "Accept-Encoding", "Cookie", "Proxy-Authorization"}

func (p Player) checkHeaders() error {
	if len(p.Headers) > maxMembers {
		return fmt.Errorf(".headers: want at most %d headers", maxMembers)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		switch value := p.Headers[name]; {
		case !headerName.MatchString(name):
			return fmt.Errorf(".headers.%.50s: is no name of a header", name)
		case slices.Contains(ours, http.CanonicalHeaderKey(name)):
			return fmt.Errorf(".headers.%s: the service sets this header itself", name)
		case len(value) > maxValue || !plainText.MatchString(value):
			return fmt.Errorf(".headers.%s: must be a line of at most %d ASCII characters", name, maxValue)
		}
	}
	return nil
}

func isScalar(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= maxValue
	case int, int64, float64, json.Number:
		return true
	}
	return false
}

// question returns the player's question about a video, in JSON.
func (p Player) question(id string) ([]byte, error) {
	client := maps.Clone(p.Context)
	if client == nil {
		client = make(map[string]any)
	}
	client["clientName"], client["clientVersion"] = p.Name, p.Version
	return json.Marshal(map[string]any{"context": map[string]any{"client": client}, "videoId": id})
}

// header returns the headers of the player's requests.
func (p Player) header(base http.Header) http.Header {
	for name, value := range p.Headers {
		base.Set(name, value)
	}
	return base
}
