package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// formats selects the best sound on its own, otherwise the best picture with sound. It selects
// only formats that are fetched through an HTTP proxy: other protocols need helper programs
// that know no proxy.
const formats = "ba[protocol~='" + protocols + "']/b[protocol~='" + protocols + "']"

const protocols = "^(https?|m3u8_native|http_dash_segments)$"

var throughProxy = regexp.MustCompile(protocols)

// always are the options of every run that uses the network.
var always = []string{
	// Use nothing of the machine's configuration.
	"--ignore-config", "--no-config-locations", "--no-cache-dir", "--no-cookies", "--no-cookies-from-browser",
	"--no-exec", "--no-batch-file", "--no-update", "--no-mark-watched", "--no-colors",
	// Fetch one content, not a list, and do not wait for a future one.
	"--no-playlist", "--playlist-items", "1", "--no-live-from-start", "--no-wait-for-video",
	// Give up soon, and do not leave partial results.
	"--socket-timeout", "15", "--retries", "2", "--fragment-retries", "2", "--extractor-retries", "1",
	"--abort-on-error", "--abort-on-unavailable-fragments",
	// Let no other program touch the download: ffmpeg would follow a playlist into the
	// machine's files.
	"--downloader", "native", "--fixup", "never", "--ffmpeg-location", "/nonexistent",
	"--restrict-filenames", "--no-mtime", "--no-part",
	// Deliver captions even if no format can be downloaded. Problems with the formats are then
	// warnings.
	"--ignore-no-formats-error",
	// A larger picture adds nothing to the sound.
	"-f", formats, "-S", "lang,res:480",
}

// The limits of a run that fetches no media, in bytes: of pages and captions, of a written
// file, of memory. A standalone release first unpacks itself into files. The JavaScript runtime
// that newer versions start takes half a GiB of memory.
const (
	maxPages  = 64 << 20
	maxFile   = 128 << 20
	maxMemory = 2 << 30
)

// run is one run of the program that uses the network.
type run struct {
	content engine.Content
	args    []string // after those of every run
	// command has no limits and no network if the run fetches no media.
	command engine.Command
	videos  int // that a run of Videos describes: each adds maxPage and pageTime to the limits
	// complaints returns the text that was written to the command's Stderr, if there is one.
	complaints func() []byte
	// talks reports that the program is asked to report its steps in addition to its
	// complaints.
	talks bool
	// noScripts runs no JavaScript, because the run does not need the formats of the media.
	noScripts bool
	// caches gives the run the cache about the players of the video site.
	caches bool
	// before are complaints that an earlier run has logged.
	before []string
}

// program runs yt-dlp in one way, and reads its answers. A [Downloader] decides which runs follow.
// Copies share what is known about yt-dlp.
type program struct {
	host    engine.Host
	file    string // a name to look up, or an absolute path
	cure    string
	log     *slog.Logger
	runtime *jsRuntime // nil if none was named
	cache   *cache
	way     *way       // nil means the plain one
	site    *suiteSite // that the runs ask instead of the network; nil outside of the test suite
	said    *question[version]
	told    *question[*equipment]
}

// run runs the program and gives the runner's errors their codes. Exit holds the program's own
// complaints.
func (p *program) run(ctx context.Context, r run) (engine.Exit, error) {
	v, err := p.version(ctx)
	if err != nil {
		return engine.Exit{}, err
	}
	c := r.command
	c.Args = append(c.Args, always...)
	if v >= withoutPlugins {
		c.Args = append(c.Args, "--no-plugin-dirs")
	}
	if c.Network == nil {
		more := time.Duration(r.videos) * pageTime
		c.Limits = engine.Limits{Wall: 2*time.Minute + more, CPU: time.Minute + more, FileSize: maxFile}
		c.Network = &engine.Network{MaxBytes: maxPages + int64(r.videos)*maxPage}
	}
	if r.noScripts {
		c.Args = append(c.Args, withoutRuntimes(v)...)
	} else {
		p.addRuntimes(&c, v)
	}
	if p.leaksByFragment(v) {
		c.Args = append(c.Args, "--use-extractors", "default,-generic") // the generic extractor is the one that obeys such links
	}
	done, err := p.way.equip(p.host.Dir, v, &c)
	defer done()
	if err != nil {
		return engine.Exit{}, err
	}
	giveBack := func(bool) {}
	if r.caches && p.site == nil && p.way == nil { // nothing from a run with a login is cached
		giveBack = p.cache.lend(p.host.Dir, &c)
	}
	c.Args = joinExtractorArgs(append(c.Args, r.args...))
	c.Limits.Memory = maxMemory
	c.Network.Job = job(r.content)
	if p.site != nil {
		c.Network.Inside, c.Args = p.site.dial, append([]string{"--no-check-certificates"}, c.Args...)
	}
	exit, err := p.start(ctx, c)
	giveBack(err == nil && exit.Code == 0)
	if r.complaints != nil {
		exit.Stderr = r.complaints()
	}
	if r.talks {
		exit.Stderr = complaintsOnly(exit.Stderr)
	}
	exit.Stderr = hideWords(r.content.URL, exit.Stderr)
	said := slices.DeleteFunc(complaints(exit.Stderr).lines(), func(line string) bool {
		return slices.ContainsFunc(r.before, func(before string) bool { return strings.HasPrefix(before, line) })
	})
	if len(said) > 0 {
		p.log.WarnContext(ctx, "yt-dlp complains", "content", r.content.ExternalID, "of", strings.Join(said, " | "))
	}
	if err == nil && exit.Code == 2 {
		return exit, p.unfit("does not know the options it is given").Because(errors.New(lastComplaint(exit.Stderr)))
	}
	if err == nil && p.leaksByFragment(v) && strings.Contains(string(exit.Stderr), "No suitable extractor") {
		return exit, transcript.Errorf(transcript.ConfigError,
			"The program %s on the server is version %s, which pages of this kind can lead into the server's own network: %s.",
			filepath.Base(p.file), v, confine)
	}
	return exit, err
}

// start starts the program and waits for it.
func (p *program) start(ctx context.Context, c engine.Command) (engine.Exit, error) {
	c.Program = p.file
	exit, err := p.host.Programs.Run(ctx, c)
	var (
		absent *exec.Error
		limit  *engine.LimitError
	)
	switch {
	case err == nil && exit.Code == -1:
		// The program did not end by itself and did not exceed our limits: the system had too
		// few resources.
		return exit, fmt.Errorf("ytdlp: %s was killed: %s", p.file, lastComplaint(exit.Stderr))
	case err == nil:
		return exit, nil
	case ctx.Err() != nil:
		return exit, context.Cause(ctx)
	case errors.As(err, &absent):
		return exit, p.unfit("is missing").Because(err)
	case errors.As(err, &limit):
		return exit, upstream("The site took too long or sent too much.").Because(err)
	}
	return exit, fmt.Errorf("ytdlp: %w", err)
}

// job names the work in the guard's log.
func job(c engine.Content) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z':
			return r
		}
		return '-'
	}, "ytdlp-"+c.ExternalID)
	return name[:min(len(name), 64)]
}

// checkLink checks that the program may see a link: an address, never an option, a search or a
// file.
func checkLink(link string) error {
	u, err := url.Parse(link)
	if err != nil {
		return unavailable("The link cannot be read.").Because(err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return unavailable("The link is not a plain http or https address.")
	}
	return nil
}

// bounded keeps written data up to a bound, and records whether there was more.
type bounded struct {
	data []byte
	max  int
	over bool
}

// Write fails if there is too much data.
func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.max-len(b.data) {
		b.over = true
		return 0, io.ErrShortWrite
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

func unavailable(format string, args ...any) *transcript.Error {
	return transcript.Errorf(transcript.Unavailable, format, args...)
}

func upstream(format string, args ...any) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, format, args...)
}
