package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// published is the mirror as the publisher of its files, which the folder trusts.
type published struct {
	modelMirror
	server  *httptest.Server
	folder  *models.Folder
	ranges  chan string // of the requests
	missing bool
}

// publisher makes a table whose addresses lead to the mirror.
func publisher(t *testing.T) *published {
	t.Helper()
	p := &published{modelMirror: newModelMirror(t), ranges: make(chan string, 16)}
	p.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.missing {
			http.NotFound(w, r)
			return
		}
		p.ranges <- r.Header.Get("Range")
		w.Header().Set("ETag", `"1"`)
		http.FileServer(http.Dir(p.dir)).ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	table := p.entries(t)
	for i := range table {
		table[i].URL = p.server.URL + "/" + table[i].File()
		table[i].WordErrors = 0.033
	}
	var err error
	p.folder, err = models.Open(models.Options{Dir: filepath.Join(t.TempDir(), "models"), HTTP: p.server.Client(), Path: t.TempDir(), Table: table})
	require.NoError(t, err)
	return p
}

// answer makes the offer on a terminal, where a person types. Without text, the question must not
// come.
func (p *published) answer(t *testing.T, typed string) (pulled bool, shown string) {
	t.Helper()
	asked := make(chan struct{})
	tell := sync.OnceFunc(func() { close(asked) })
	tty := programtest.NewTerminal(t, 200, func(shown string) {
		if strings.Contains(shown, "Download it now? [Y/n] ") {
			tell()
		}
	})
	done := make(chan error, 1)
	go func() {
		var err error
		pulled, err = offer{folder: p.folder, name: "small", keyboard: tty.TTY, screen: tty.TTY}.make(t.Context())
		done <- err
	}()
	select {
	case err := <-done:
		require.NoError(t, err)
		assert.Empty(t, typed, "no question came")
	case <-asked:
		assert.NotEmpty(t, typed, "a question came")
		tty.Type(t, cmp.Or(typed, "\x04"))
		require.NoError(t, <-done)
	}
	return pulled, strings.ReplaceAll(tty.Close(t), "\r\n", "\n")
}

func (p *published) installed(t *testing.T) bool {
	t.Helper()
	all, err := p.folder.List(t.Context())
	require.NoError(t, err)
	for _, i := range all {
		if i.Name == "small" {
			return i.State == models.StateInstalled
		}
	}
	return false
}

func TestOfferIsTaken(t *testing.T) {
	t.Parallel()
	p := publisher(t)
	pulled, shown := p.answer(t, "\n")
	assert.True(t, pulled)
	assert.True(t, p.installed(t))
	for _, says := range []string{
		"gets about 37 of 100 words of clear real speech wrong.\n",
		"The model small is better (good; languages: 99). By published figures, it gets about 3 of 100 words of read English wrong.\n",
		"The download has 0.1 MB: about 10 s at 10 Mbit/s, 10 s at 50 Mbit/s. It brings whisper-cli (MIT) and small (MIT) into " + p.folder.Dir() + ".\n",
		"small is installed in " + p.folder.Dir() + ".\n",
	} {
		assert.Contains(t, shown, says)
	}
	pulled, shown = p.answer(t, "")
	assert.False(t, pulled)
	assert.Empty(t, shown, "nothing is left to offer")
}

func TestOfferIsDeclinedOnce(t *testing.T) {
	t.Parallel()
	p := publisher(t)
	pulled, shown := p.answer(t, "no\n")
	assert.False(t, pulled)
	assert.Contains(t, shown, "The question does not come again. `transcriptd models pull small` gets the model at any time.\n")
	pulled, shown = p.answer(t, "")
	assert.False(t, pulled)
	assert.Empty(t, shown)
	assert.False(t, p.installed(t))

	var screen bytes.Buffer // --yes counts also after a no, and without a terminal
	pulled, err := offer{folder: p.folder, name: "small", keyboard: os.Stdin, screen: &screen, yes: true}.make(t.Context())
	require.NoError(t, err)
	assert.True(t, pulled, screen.String())
}

// The end of the input is no answer: the question comes again.
func TestOfferWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	p := publisher(t)
	for range 2 {
		pulled, shown := p.answer(t, "\x04")
		assert.False(t, pulled)
		assert.NotContains(t, shown, "does not come again")
	}
}

func TestOfferIsInterrupted(t *testing.T) {
	t.Parallel()
	p := publisher(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no time")
	tty := programtest.NewTerminal(t, 200, func(shown string) {
		if strings.Contains(shown, "[Y/n] ") {
			cancel(why)
		}
	})
	_, err := offer{folder: p.folder, name: "small", keyboard: tty.TTY, screen: tty.TTY}.make(ctx)
	require.ErrorIs(t, err, why)
	tty.Type(t, "\n") // ends the reader of the terminal
	tty.Close(t)
}

func TestOfferNeedsATerminal(t *testing.T) {
	t.Parallel()
	p := publisher(t)
	tty := programtest.NewTerminal(t, 80)
	none, err := os.Open(os.DevNull)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, none.Close()) })
	ended, cancel := context.WithCancel(t.Context()) // a question would end with an error
	cancel()
	var screen bytes.Buffer
	for _, o := range []offer{
		{folder: p.folder, name: "small", keyboard: none, screen: tty.TTY},
		{folder: p.folder, name: "small", keyboard: tty.TTY, screen: &screen},
	} {
		pulled, err := o.make(ended)
		require.NoError(t, err)
		assert.False(t, pulled)
	}
	assert.Empty(t, tty.Close(t)+screen.String())
}

// A model that was half pulled is offered with what is left, and continued.
func TestOfferContinuesAPull(t *testing.T) {
	full(t)
	t.Parallel()
	p := publisher(t)
	content, err := os.ReadFile(filepath.Join(p.dir, p.small.File()))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(p.folder.Dir(), 0o700))
	half := filepath.Join(p.folder.Dir(), p.small.SHA256)
	require.NoError(t, os.WriteFile(half+".part", content[:20_000], 0o600))
	require.NoError(t, os.WriteFile(half+".etag", []byte(`"1"`), 0o600))
	pulled, shown := p.answer(t, "y\n")
	assert.True(t, pulled, shown)
	assert.True(t, p.installed(t))
	assert.Empty(t, <-p.ranges, "the engine")
	assert.Equal(t, "bytes=20000-", <-p.ranges)
}

// A download that fails is told, and the work goes on.
func TestOfferFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prepare func(t *testing.T, p *published)
		says    string
	}{
		"wrong hash": {func(t *testing.T, p *published) {
			file := filepath.Join(p.dir, p.small.File())
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			content[30_000] ^= 1
			require.NoError(t, os.WriteFile(file, content, 0o600))
		}, "the hash is wrong"},
		"not there": {func(_ *testing.T, p *published) { p.missing = true }, "it answers 404 Not Found"},
		"no network": {func(_ *testing.T, p *published) {
			p.server.Close()
		}, "it cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := publisher(t)
			tt.prepare(t, p)
			pulled, shown := p.answer(t, "\n")
			assert.False(t, pulled)
			assert.Contains(t, shown, "There is no better recognizer: ")
			assert.Contains(t, shown, tt.says)
			assert.Contains(t, shown, "The work goes on without it. `transcriptd models pull small` tries again.")
			assert.False(t, p.installed(t))
		})
	}
}

// The offer is for a weak recognizer only, and only if no flag has named the recognizer.
func TestWhatIsNotImproved(t *testing.T) {
	t.Parallel()
	m := newModelMirror(t)
	folder := service.ModelsFlag{Models: filepath.Join(t.TempDir(), "models"), Table: m.entries(t)}
	choice := func(name, why string) service.Choice {
		return service.Choice{RecognizerFlags: service.RecognizerFlags{ASR: service.ASR{Name: name}, ModelsFlag: folder}, Why: why}
	}
	for _, tt := range []struct {
		flags  offerFlags
		chosen service.Choice
	}{
		{offerFlags{NoPull: true}, choice(service.ASRPocketsphinx, "so")},
		{offerFlags{Yes: true}, choice(service.ASRPocketsphinx, "--asr says so")},
		{offerFlags{Yes: true}, choice(service.ASRWhisperCLI, "so")},
		{offerFlags{}, choice(service.ASRNone, "so")}, // there is no terminal
	} {
		var screen bytes.Buffer
		got, err := tt.flags.improve(t.Context(), &screen, tt.chosen)
		require.NoError(t, err)
		assert.Equal(t, tt.chosen, got)
		assert.Empty(t, screen.String())
	}
}

// trusting is the environment of a program that trusts the publisher.
func (p *published) trusting(t *testing.T) []string {
	t.Helper()
	table := p.entries(t)
	for i := range table {
		table[i].URL = p.server.URL + "/" + table[i].File()
	}
	p.publish(t, table...)
	trusted := filepath.Join(t.TempDir(), "certificate.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
	require.NoError(t, os.WriteFile(trusted, certificate, 0o600))
	return append(p.env, "SSL_CERT_FILE="+trusted)
}

// The first recording on a terminal asks, and goes on with the answer; another recording asks
// nothing.
func TestTranscribeOffersAModel(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	first, second := beginning(t), beginning(t)
	for name, tt := range map[string]struct {
		typed string
		gone  bool // the file of the model
		says  string
		text  string // of the model; empty: PocketSphinx hears
	}{
		"yes":    {"\n", false, "small is installed in ", "This is a short talk."},
		"no":     {"n\n", false, "The question does not come again. ", ""},
		"failed": {"\n", true, "There is no better recognizer: engine.tar.gz from https://127.0.0.1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.text == "" {
				full(t)
			}
			t.Parallel()
			p := publisher(t)
			p.missing = tt.gone
			env := append(p.trusting(t), "XDG_STATE_HOME="+t.TempDir())
			asked := make(chan struct{})
			tell := sync.OnceFunc(func() { close(asked) })
			tty := programtest.NewTerminal(t, 200, func(shown string) {
				if strings.Contains(shown, "Download it now? [Y/n] ") {
					tell()
				}
			})
			var stdout bytes.Buffer
			cmd := program(t, env, "transcribe", first)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty.TTY, &stdout, tty.TTY
			require.NoError(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			var err error
			select {
			case <-asked:
				tty.Type(t, tt.typed)
				err = <-ended
			case err = <-ended:
				t.Error("no question came")
			}
			shown := tty.Close(t)
			require.NoError(t, err, shown)
			assert.Contains(t, shown, tt.says)
			assert.NotEmpty(t, stdout.String())
			assert.Equal(t, tt.text != "", strings.Contains(stdout.String(), "This is a short talk."), stdout.String())

			if tt.gone { // the question comes again
				return
			}
			cmd = program(t, env, "transcribe", second)
			tty = programtest.NewTerminal(t, 200)
			cmd.Stdin, cmd.Stderr = tty.TTY, tty.TTY
			err = cmd.Run()
			shown = tty.Close(t)
			require.NoError(t, err, shown)
			assert.NotContains(t, shown, "[Y/n]")
		})
	}
}

// Without a terminal, --yes is the answer.
func TestTranscribeYes(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	p := publisher(t)
	env := append(p.trusting(t), "XDG_STATE_HOME="+t.TempDir())
	code, stdout, stderr := finish(program(t, env, "transcribe", "--yes", beginning(t)))
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "This is a short talk.")
	assert.NotContains(t, stderr, "[Y/n]")
}

// Serve pulls the model of --pull at its start, without a question, and uses it.
func TestServePulls(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	p := publisher(t)
	env := p.trusting(t)
	for _, pulls := range []bool{true, false} { // the second time, the model is there
		s := start(t, env, "--db", newDatabase(t), "--pull", "small")
		assert.Equal(t, pulls, strings.Contains(s.greeting, `msg="pulling a model" model=small`), s.greeting)
		assert.Contains(t, s.greeting, "msg=recognizer asr=whisper-cli model=small")
		stop(t, s)
	}
}

// A model that cannot be had does not keep the service from its work.
func TestServeStartsWithoutItsModel(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	m := newModelMirror(t)
	p := start(t, m.env, "--db", newDatabase(t), "--pull", "small")
	assert.Regexp(t, `level=WARN msg="the model cannot be pulled" model=small err=".*it cannot be reached.*"`, p.greeting)
	assert.Contains(t, p.greeting, "asr=pocketsphinx")
	stop(t, p)
}
