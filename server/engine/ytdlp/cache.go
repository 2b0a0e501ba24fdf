package ytdlp

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// The limits of the cache. A file of the program holds what it has learned from one script of
// the site's player.
const (
	maxCacheFile  = 4 << 20 // bytes
	maxCache      = 16 << 20
	maxCacheFiles = 100
	maxCacheAge   = 24 * time.Hour
)

// cache is the program's cache about players of the video site. It is a folder of this process,
// never the user's. No run works in the folder itself: each run gets a copy, and the cache then
// takes the files of the copy that it understands. So one run cannot change the files that
// another one reads meanwhile, and no link and no special file enters the cache. It is safe for
// concurrent use.
type cache struct {
	dir string // empty means that there is no cache
	now func() time.Time

	mu sync.Mutex
}

// newCache returns a cache in the host's scratch directory, which the server empties when it
// stops.
func newCache(scratch string) *cache {
	c := &cache{now: time.Now}
	if scratch != "" {
		c.dir = filepath.Join(scratch, "yt-dlp-cache")
	}
	return c
}

// lend gives a run a copy of the cache. The caller calls giveBack after the run, and says whether
// the program ended well. A fault of the cache costs time only, so no error is returned.
func (c *cache) lend(scratch string, to *engine.Command) (giveBack func(well bool)) {
	none := func(bool) {}
	if c.dir == "" {
		return none
	}
	copied, err := os.MkdirTemp(scratch, "cache-") // mode 0700
	if err != nil {
		return none
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prune()
	for _, f := range c.files(c.dir) {
		f.copyTo(copied)
	}
	to.Args = append(to.Args, "--cache-dir", copied)
	to.Writes = append(slices.Clone(to.Writes), copied)
	return func(well bool) {
		defer func() { _ = os.RemoveAll(copied) }() // a remainder lies in the scratch directory
		if !well {
			c.clear() // something in the cache may have caused the failure
			return
		}
		c.takeBack(copied)
	}
}

// takeBack puts the files of a copy that it understands into the cache.
func (c *cache) takeBack(copied string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var learned []cached
	for _, f := range c.files(copied) {
		if _, err := os.Lstat(filepath.Join(c.dir, f.name)); errors.Is(err, fs.ErrNotExist) {
			f.learned = true
			learned = append(learned, f)
		}
	}
	c.prune(learned...)
}

// clear empties the cache.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir != "" {
		_ = os.RemoveAll(c.dir) // remaining files are pruned by their age
	}
}

// prune removes files that are too old, and the oldest ones beyond the bounds, and adds learned
// files within the bounds. The folder never holds more files than the method files reads.
func (c *cache) prune(learned ...cached) {
	all := append(c.files(c.dir), learned...)
	slices.SortStableFunc(all, func(a, b cached) int { return b.made.Compare(a.made) })
	total := int64(0)
	for i, f := range all {
		total += int64(len(f.text))
		switch {
		case i >= maxCacheFiles || total > maxCache || c.now().Sub(f.made) > maxCacheAge:
			_ = os.Remove(filepath.Join(c.dir, f.name)) // the next pruning tries again
		case f.learned:
			f.copyTo(c.dir)
		}
	}
}

// cached is a file of the cache.
type cached struct {
	name string // "youtube-sigfuncs/js_0a1b2c3d_107.json"
	text []byte
	made time.Time

	learned bool // from a run: not yet in the cache's folder
}

var (
	cacheSection = regexp.MustCompile(`^youtube-[a-z-]{1,30}$`)
	cacheName    = regexp.MustCompile(`^[\w.,-]{1,200}\.json$`)
)

// files reads the files of a cache that are regular ones with a name and content of the program,
// at most maxCacheFiles of them and maxCache bytes. It follows no link out of the folder.
func (c *cache) files(dir string) (all []cached) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // there is none
	}
	defer func() { _ = root.Close() }() // it was only read
	left := int64(maxCache)
	for _, section := range named(root, ".", cacheSection) {
		for _, name := range named(root, section, cacheName) {
			path := section + "/" + name
			info, err := root.Lstat(path)
			if err != nil || !info.Mode().IsRegular() || info.Size() > min(maxCacheFile, left) || len(all) >= maxCacheFiles {
				continue
			}
			text, err := root.ReadFile(path)
			if err == nil && understood(text) {
				all, left = append(all, cached{name: path, text: text, made: info.ModTime()}), left-int64(len(text))
			}
		}
	}
	return all
}

// named returns the names in a folder that match a form, if the folder is not a link.
func named(root *os.Root, folder string, form *regexp.Regexp) (names []string) {
	if info, err := root.Lstat(folder); err != nil || !info.IsDir() {
		return nil
	}
	opened, err := root.Open(folder)
	if err != nil {
		return nil
	}
	defer func() { _ = opened.Close() }()               // it was only read
	found, _ := opened.Readdirnames(10 * maxCacheFiles) // fewer after an error
	return slices.DeleteFunc(found, func(name string) bool { return !form.MatchString(name) })
}

// understood reports whether a text has the form of a cached file: the release of the program,
// and data.
func understood(text []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || len(members) != 2 || members["data"] == nil {
		return false
	}
	var release string
	return json.Unmarshal(members["yt-dlp_version"], &release) == nil && version(release).day() != time.Time{}
}

// copyTo writes a file with its time below a folder. A file that cannot be written is not cached.
func (f cached) copyTo(dir string) {
	path := filepath.Join(dir, filepath.FromSlash(f.name))
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, f.text, 0o600) != nil {
		return
	}
	_ = os.Chtimes(path, f.made, f.made) // otherwise the file is kept longer
}
