package honesty_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// installed is where make honesty installs the libraries.
const installed = "../../../bin/honesty"

// hang is how long a rival may take.
const hang = 2 * time.Minute

// rivals are the readers of others.
func rivals(t *testing.T) []reader {
	t.Helper()
	python := absolute(t, installed+"/python/bin/python")
	node, err := exec.LookPath("node")
	require.NoError(t, err)
	return []reader{
		plain(t, releases["distribution"]), plain(t, releases["current"]),
		library(t, "youtube-transcript-api 1.2.5", python, absolute(t, "testdata/rivals/read.py")),
		library(t, "youtube-transcript 1.3.1 (npm)", node, absolute(t, "testdata/rivals/read.mjs"), "youtube-transcript"),
		library(t, "youtube-captions-scraper 2.0.3 (npm)", node, absolute(t, "testdata/rivals/read.mjs"), "youtube-captions-scraper"),
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	require.NoError(t, err)
	_, err = os.Stat(whole)
	require.NoError(t, err, "run make honesty")
	return whole
}

// library is a library of others, called by a script of testdata/rivals.
func library(t *testing.T, name, program string, args ...string) reader {
	t.Helper()
	site := enginetest.NewWholeSite(t)
	return reader{name, func(ctx context.Context, r row) answer {
		call := append(args[:len(args):len(args)], site.URL, site.Content(r.condition).ExternalID, r.language())
		out, errors, err := start(ctx, absolute(t, installed+"/npm"), program, call...)
		if hung(err) {
			return answer{claim: hangs}
		}
		var said struct {
			Cues         []string
			Error, Words string
		}
		if json.Unmarshal(out, &said) != nil {
			return answer{claim: fault, words: errors}
		}
		if said.Error == "" {
			return answer{claim: text, cues: trimmed(said.Cues)}
		}
		words := said.Error + ": " + said.Words
		return answer{claim: claimOf(words), words: words}
	}}
}

// plain is yt-dlp as people run it.
func plain(t *testing.T, r release) reader {
	t.Helper()
	site := enginetest.NewWholeSite(t)
	program := siteProgram(t, r, site.URL)
	return reader{r.name + " itself", func(ctx context.Context, r row) answer {
		dir := t.TempDir()
		_, said, err := start(ctx, dir, program, "--ignore-config", "--no-cache-dir", "--skip-download", "--write-subs", "--write-auto-subs", "--sub-format", "vtt",
			"--sub-langs", r.language(), "-o", "out", "https://www.youtube.com/watch?v="+site.Content(r.condition).ExternalID)
		file, missing := os.ReadFile(filepath.Join(dir, "out."+r.language()+".vtt"))
		switch claim := claimOf(said); {
		case hung(err):
			return answer{claim: hangs}
		case err == nil && missing == nil:
			return answer{claim: text, cues: cuesOf(file)}
		case err != nil:
			return answer{claim: claim, words: said}
		case claim == fault:
			return answer{claim: none, words: said}
		default:
			return answer{claim: claim, words: said, quiet: true}
		}
	}}
}

// start runs a program in a folder. errors is its standard error.
func start(ctx context.Context, dir, program string, args ...string) (out []byte, errors string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hang)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	c.Dir, c.Stderr = dir, &said
	c.WaitDelay = time.Second
	out, err = c.Output()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, said.String(), err
}

func hung(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

func cuesOf(file []byte) (all []string) {
	f, err := caption.ReadAny(bytes.NewReader(file))
	if err != nil {
		return []string{string(file)} // no text, and yet the answer
	}
	for _, s := range f.Segments {
		all = append(all, s.Text)
	}
	return all
}

func trimmed(all []string) []string {
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// claims are words of the readers' errors and warnings, in lower case with straight quotes, and
// what a user takes from them. The first words that an error has count.
var claims = []struct {
	words string
	claim claim
}{
	{"not a bot", blocked},
	{"429", blocked},
	{"403", blocked},
	{"captcha", blocked},
	{"try again later", blocked},
	{"network administrator", blocked},
	{"skipping player responses", blocked},
	{"requestblocked", blocked},
	{"ipblocked", blocked},
	{"po token", token},
	{"potokenrequired", token},
	{"private", gone},
	{"member", gone},
	{"requires payment", gone},
	{"country", gone},
	{"live event will begin", gone},
	{"processing this video", gone},
	{"been removed", gone},
	{"terminated", gone},
	{"agerestricted", login},
	{"inappropriate", login},
	{"your age", login},
	{"age-restricted", login},
	{"sign in", login},
	{"latest version of youtube", fault},
	{"no longer available", gone}, // in the npm package: for everything that it does not know
	{"video unavailable", gone},
	{"videounavailable", gone},
	{"video is unavailable", gone},
	{"transcriptsdisabled", none},
	{"is disabled on this video", none},
	{"notranscriptfound", none},
	{"no transcripts are available", none},
	{"could not find captions", none},
	{"could not find en captions", none},
	{"could not find es captions", none},
	{"there are no subtitles", none},
}

func claimOf(said string) claim {
	said = strings.ToLower(strings.ReplaceAll(said, "’", "'"))
	said = strings.ReplaceAll(said, "confirm you are on the latest version", "") // the words with which yt-dlp ends
	for _, c := range claims {
		if strings.Contains(said, c.words) {
			return c.claim
		}
	}
	return fault
}
