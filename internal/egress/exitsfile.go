package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	maxExitsFile = 1 << 20 // bytes
	maxExits     = 1000
)

// exitsFile is a file with exits that is read again when it changes. If the new file is bad, the
// present pool stays, and one line in the log says why. Safe for concurrent use.
type exitsFile struct {
	path string

	mu   sync.Mutex
	last os.FileInfo // the file at its last reading, good or bad; nil: the file was missing
}

// open reads the file for the first time.
func (f *exitsFile) open(g *Guard) (listed []*Exit, err error) {
	listed, f.last, err = f.read(g)
	return listed, err
}

// follow reads the file again if it has changed, and replaces the pool of the guard.
func (f *exitsFile) follow(g *Guard) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now, err := os.Stat(f.path); err == nil && f.last != nil && unchanged(now, f.last) || err != nil && f.last == nil {
		return
	}
	listed, info, err := f.read(g)
	f.last = info
	var changed *pool
	if err == nil {
		changed, err = newPool(g.config, listed)
	}
	if err == nil {
		err = g.conflict(changed)
	}
	if err != nil {
		g.log.Warn("the file of exits cannot be used: the present exits stay", "file", f.path, "err", err)
		return
	}
	g.pool.Store(changed)
	g.log.Info("the file of exits has changed", "file", f.path, "exits", len(changed.exits))
}

// read reads the file. info describes the file that was read; nil: there is none.
func (f *exitsFile) read(g *Guard) (listed []*Exit, info os.FileInfo, err error) {
	info, err = os.Stat(f.path) // before the reading, so that a change during the reading shows later
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, fmt.Errorf("%s is not a regular file", f.path)
	}
	if ReadableByAll(info) {
		g.log.Warn("every user of this machine can read the file of exits, and the passwords in it", "file", f.path, "cure", "chmod o-r "+f.path)
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, info, err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxExitsFile+1))
	if err != nil {
		return nil, info, err
	}
	listed, err = parseExits(text)
	if err != nil {
		return nil, info, fmt.Errorf("%s: %w", f.path, err)
	}
	return listed, info, nil
}

// ReadableByAll reports whether every user of the machine can read a file.
func ReadableByAll(file os.FileInfo) bool { return file.Mode().Perm()&0o004 != 0 }

func unchanged(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// listedExit is an exit as the file has it.
type listedExit struct {
	Name      string                `json:"name"`
	Address   string                `json:"address"`
	ByName    bool                  `json:"byName"`
	Uses      []Use                 `json:"uses"`
	Platforms []transcript.Platform `json:"platforms"`
}

// parseExits reads {"exits": [...]}. An error names the place of the fault and repeats nothing that
// may be a password.
func parseExits(text []byte) ([]*Exit, error) {
	if len(text) > maxExitsFile {
		return nil, fmt.Errorf("larger than %d bytes", maxExitsFile)
	}
	var document struct {
		Exits []listedExit `json:"exits"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return nil, plainJSON(text, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON document")
	}
	if n := len(document.Exits); n == 0 || n > maxExits {
		return nil, fmt.Errorf("exits: want 1 to %d exits", maxExits)
	}
	exits := make([]*Exit, len(document.Exits))
	for i, listed := range document.Exits {
		var err error
		if exits[i], err = listed.exit(); err != nil {
			return nil, fmt.Errorf("exits[%d].%w", i, err)
		}
	}
	return exits, nil
}

// plainJSON returns an error of the decoder without the values of the file.
func plainJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON at line %d", 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n")))
	case errors.As(err, &kind):
		return fmt.Errorf("%s: a value of another type is wanted (%s)", kind.Field, kind.Type)
	case strings.Contains(err.Error(), "unknown field"):
		return errors.New("an unknown member: want name, address, byName, uses and platforms in each of exits")
	}
	return errors.New("no JSON object with the member exits")
}

var exitName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$`)

// exit checks what the file says of an exit.
func (l listedExit) exit() (*Exit, error) {
	e := &Exit{name: l.Name, byName: l.ByName, uses: l.Uses, platforms: l.Platforms}
	switch {
	case !exitName.MatchString(l.Name):
		return nil, errors.New("name: want 1 to 32 letters, digits, dots, dashes and underscores")
	case l.Uses != nil && len(l.Uses) == 0:
		return nil, errors.New("uses: is empty: leave it out for all uses")
	case l.Platforms != nil && len(l.Platforms) == 0:
		return nil, errors.New("platforms: is empty: leave it out for all platforms")
	}
	for _, use := range l.Uses {
		if use != Captions && use != Sound && use != Lists {
			return nil, fmt.Errorf("uses: %q is none of captions, sound and lists", clip.Text(string(use)))
		}
	}
	for _, platform := range l.Platforms {
		if !slices.Contains(transcript.Platforms(), platform) {
			return nil, fmt.Errorf("platforms: %q is none of %v", clip.Text(string(platform)), transcript.Platforms())
		}
	}
	return e, e.leads(l.Address)
}

// leads reads the address of an exit: the URL of a proxy, or an IPv6 prefix.
func (e *Exit) leads(address string) (err error) {
	if strings.Contains(address, "://") {
		at, err := url.Parse(address)
		if err != nil {
			return errors.New("address: not a URL") // the parser's error may hold the password
		}
		if e.proxy, err = newUpstream(at); err != nil {
			return fmt.Errorf("address: %w", err)
		}
		return nil
	}
	if e.prefix, err = netip.ParsePrefix(address); err != nil || !fitPrefix(e.prefix) {
		return errors.New("address: want the URL of a proxy (http, https or socks5), or an IPv6 prefix of /32 to /128 such as 2001:db8:1:2::/64")
	}
	if e.byName {
		return errors.New("byName: is for proxies: a prefix has none")
	}
	e.prefix = e.prefix.Masked()
	return nil
}
