package ytdlp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What yt-dlp has printed on machines that have and lack things; see testdata/equipment.
func TestExamine(t *testing.T) {
	t.Parallel()
	fresh := time.Now().UTC().AddDate(0, 0, -10).Format("2006.01.02")
	const notUsed = "ok JavaScript runtime: not used by this release of yt-dlp: it takes 2025.11.12 or later"
	const none = "none: yt-dlp has no curl_cffi"
	for _, test := range []struct {
		version, says string
		found         []string
	}{
		{fresh, "full", []string{
			"ok yt-dlp: VERSION, 10 days old, at PATH", "ok JavaScript runtime: deno 2.9.6",
			"ok solver scripts: yt_dlp_ejs-0.8.0", "ok browser imitation: curl_cffi",
		}},
		{fresh, "bare", []string{
			"ok yt-dlp: VERSION, 10 days old, at PATH", "missing JavaScript runtime: none",
			"missing solver scripts: none", "missing browser imitation: " + none,
		}},
		{fresh, "unsupported", []string{
			"ok yt-dlp: VERSION, 10 days old, at PATH", "old JavaScript runtime: none that yt-dlp supports: node 18.19.0",
			"ok solver scripts: yt_dlp_ejs-0.8.0", "old browser imitation: none that yt-dlp supports: curl_cffi-0.99.0 (unsupported)",
		}},
		{fresh, "quickjs", []string{
			"ok yt-dlp: VERSION, 10 days old, at PATH", "old JavaScript runtime: quickjs 2023-12-09",
			"missing solver scripts: none", "missing browser imitation: " + none,
		}},
		{"2023.03.04", "debian", []string{
			"old yt-dlp: VERSION, N days old, at PATH; known holes: CVE-2023-46121, CVE-2024-38519, CVE-2026-50023",
			notUsed, "missing browser imitation: " + none,
		}},
		{"2024.12.06", "debian", []string{
			"old yt-dlp: VERSION, N days old, at PATH; known holes: CVE-2026-50023", notUsed, "missing browser imitation: " + none,
		}},
		{"2020.01.01", "debian", []string{"broken yt-dlp: The program yt-dlp on the server is version VERSION, older than 2023.03.04"}},
		{fresh, "", []string{
			"ok yt-dlp: VERSION, 10 days old, at PATH", "broken yt-dlp -v: The program yt-dlp on the server does not answer like yt-dlp",
		}},
	} {
		t.Run(test.version+" "+test.says, func(t *testing.T) {
			t.Parallel()
			said, _ := os.ReadFile("testdata/equipment/" + test.says + ".txt") // one says nothing
			program := fake{version: test.version, stderr: string(said), code: 2}.program(t)
			var found []string
			for _, f := range newBench(t, program).Examine(t.Context()) {
				what := strings.NewReplacer(program, "PATH", test.version, "VERSION").Replace(f.Found)
				what = regexp.MustCompile(`\d{3,} days`).ReplaceAllString(what, "N days")
				found = append(found, string(f.Status)+" "+f.Name+": "+what)
				assert.Equal(t, f.Status == engine.OK, f.Cure == "", "%+v", f)
				assert.Equal(t, f.Status == engine.OK, f.Fails == "" && f.Status != engine.Broken, "%+v", f)
			}
			assert.Equal(t, test.found, found)
		})
	}
}

// The finding that a page could lead the program round the guard depends on what holds it.
func TestExamineUnconfined(t *testing.T) {
	t.Parallel()
	program := fake{}.program(t)
	host := newBench(t, program).host
	for _, confined := range []bool{true, false} {
		host.Confined = confined
		d, err := ytdlp.New(host, ytdlp.Options{Program: program})
		require.NoError(t, err)
		about := d.Examine(t.Context())[0]
		assert.Equal(t, confined, !regexp.MustCompile("around the egress guard").MatchString(about.Fails), about.Fails)
		assert.Equal(t, confined, !regexp.MustCompile("Landlock").MatchString(about.Cure), about.Cure)
	}
}

// A runtime that appears, or a program that is replaced, is asked about anew, and nothing
// else is.
func TestCheckOfTheRuntime(t *testing.T) {
	t.Parallel()
	bare, err := os.ReadFile("testdata/equipment/bare.txt")
	require.NoError(t, err)
	full, err := os.ReadFile("testdata/equipment/full.txt")
	require.NoError(t, err)
	script := `case "$*" in *-v*--ignore-config*) echo x >>"$here/asked";; esac; `
	program := fake{version: "2026.08.19", stderr: string(bare), code: 2, script: script}.program(t)
	dir, bin := filepath.Dir(program), t.TempDir()
	b := newBench(t, program, func(r *run.Config, _ *ytdlp.Options) { r.Path = bin + ":" + run.DefaultPath })
	check := func() (err error) {
		require.Eventually(t, func() bool { // it may take longer than a check waits
			err = b.Check(t.Context())
			return err == nil || assert.ErrorIs(t, err, transcript.ConfigError)
		}, time.Minute, time.Millisecond)
		return err
	}
	for range 2 {
		require.ErrorContains(t, check(), "npm install -g deno")
	}
	assert.Equal(t, 1, asked(t, program))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "stderr"), full, 0o600))
	require.NoError(t, os.Symlink("/bin/true", filepath.Join(bin, "deno")))
	for range 2 {
		require.NoError(t, check())
	}
	assert.Equal(t, 2, asked(t, program))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "stderr"), bare, 0o600))
	require.NoError(t, exec.Command("cp", "--remove-destination", "testdata/yt-dlp", program).Run())
	require.ErrorIs(t, check(), transcript.ConfigError)
	assert.Equal(t, 3, asked(t, program))
}
