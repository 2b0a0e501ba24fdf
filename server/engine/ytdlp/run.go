package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// formats picks the best sound there is on its own, else the best picture with
// sound. Only what goes through an HTTP proxy is picked: other protocols are the
// work of helpers that know no proxy.
const formats = "ba[protocol~='" + protocols + "']/b[protocol~='" + protocols + "']"

const protocols = "^(https?|m3u8_native|http_dash_segments)$"

var throughProxy = regexp.MustCompile(protocols)

// always are the options of every run that meets the network.
var always = []string{
	// Nothing of the machine's set-up.
	"--ignore-config", "--no-config-locations", "--no-cache-dir", "--no-cookies", "--no-cookies-from-browser",
	"--no-exec", "--no-batch-file", "--no-update", "--no-mark-watched", "--no-colors",
	// One content, not a list, and not in the future.
	"--no-playlist", "--playlist-items", "1", "--no-live-from-start", "--no-wait-for-video",
	// Give up soon, and rather than with half of it.
	"--socket-timeout", "15", "--retries", "2", "--fragment-retries", "2", "--extractor-retries", "1",
	"--abort-on-error", "--abort-on-unavailable-fragments",
	// No other program touches what was downloaded: ffmpeg would follow a
	// playlist into the machine's files.
	"--downloader", "native", "--fixup", "never", "--ffmpeg-location", "/nonexistent",
	"--restrict-filenames", "--no-mtime", "--no-part",
	// Captions are there without a format that can be downloaded; what is wrong
	// with the formats comes as a warning then.
	"--ignore-no-formats-error",
	// A picture larger than this adds nothing to the sound.
	"-f", formats, "-S", "lang,res:480",
}

// What a run that fetches no media may take, in bytes: of pages and captions, of
// what it writes to a file, of memory. A standalone release unpacks itself into
// files before it does anything; the JavaScript runtime that newer versions start
// takes half a GiB of memory.
const (
	maxPages  = 64 << 20
	maxFile   = 128 << 20
	maxMemory = 2 << 30
)

// run is one run of the program that meets the network.
type run struct {
	content engine.Content
	args    []string // after those of every run
	// command has no limits and no network when the run fetches no media.
	command engine.Command
	// complaints, where the command has a Stderr, are what was written to it.
	complaints func() []byte
	// talks tells that the program is asked to say what it does, besides its complaints.
	talks bool
	// before are complaints that a run before this one has logged.
	before []string
}

// run runs the program and gives the runner's errors their codes. What the
// program itself complained about is in Exit.
func (d *Downloader) run(ctx context.Context, r run) (engine.Exit, error) {
	v, err := d.version(ctx)
	if err != nil {
		return engine.Exit{}, err
	}
	c := r.command
	c.Args = append(c.Args, always...)
	if v >= withoutPlugins {
		c.Args = append(c.Args, "--no-plugin-dirs")
	}
	if c.Network == nil {
		c.Limits = engine.Limits{Wall: 2 * time.Minute, CPU: time.Minute, FileSize: maxFile}
		c.Network = &engine.Network{MaxBytes: maxPages}
	}
	d.addRuntimes(&c, v)
	if d.leaksByFragment(v) {
		c.Args = append(c.Args, "--use-extractors", "default,-generic") // the one that obeys such links
	}
	c.Args = append(c.Args, r.args...)
	c.Limits.Memory = maxMemory
	c.Network.Job = job(r.content)
	exit, err := d.start(ctx, c)
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
		d.log.WarnContext(ctx, "yt-dlp complains", "content", r.content.ExternalID, "of", strings.Join(said, " | "))
	}
	if err == nil && exit.Code == 2 {
		return exit, d.unfit("does not know the options it is given").Because(errors.New(lastComplaint(exit.Stderr)))
	}
	if err == nil && d.leaksByFragment(v) && strings.Contains(string(exit.Stderr), "No suitable extractor") {
		return exit, transcript.Errorf(transcript.ConfigError,
			"The program %s on the server is version %s, which pages of this kind can lead into the server's own network: %s.",
			d.name(), v, confine)
	}
	return exit, err
}

// start starts the program and waits for it.
func (d *Downloader) start(ctx context.Context, c engine.Command) (engine.Exit, error) {
	c.Program = d.program
	exit, err := d.host.Programs.Run(ctx, c)
	var (
		absent *exec.Error
		limit  *engine.LimitError
	)
	switch {
	case err == nil && exit.Code == -1:
		// Not its own decision and not one of our limits: the system was short of something.
		return exit, fmt.Errorf("ytdlp: %s was killed: %s", d.program, lastComplaint(exit.Stderr))
	case err == nil:
		return exit, nil
	case ctx.Err() != nil:
		return exit, context.Cause(ctx)
	case errors.As(err, &absent):
		return exit, d.missing(err)
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

// checkLink checks that a link is one that the program may see: an address, never
// an option, a search or a file.
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

// bounded keeps what is written to it up to a bound, and notes that there was more.
type bounded struct {
	data []byte
	max  int
	over bool
}

// Write fails when there is too much.
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
