package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// call runs the program with a text on standard input.
func call(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	_, err = write.WriteString(input) // less than a pipe holds
	require.NoError(t, err)
	require.NoError(t, write.Close())
	defer read.Close()
	var out, errs bytes.Buffer
	code = run(context.WithoutCancel(t.Context()), args, read, &out, &errs)
	return code, out.String(), errs.String()
}

// Operators add users beside the website that is served.
func TestUsersBesideTheWebsite(t *testing.T) {
	t.Parallel()
	db := "--db=sqlite:" + filepath.Join(t.TempDir(), "website.db")
	base := startWebsite(t, "--no-sign-up", db).address()
	signIn := func(password string) int {
		t.Helper()
		c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := c.PostForm(base+"sign-in", url.Values{"name": {"ada"}, "password": {password}}) //nolint:noctx // it is short
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	code, _, stderr := call(t, "correct horse battery\n", "users", "add", "ada", db)
	require.Zero(t, code, stderr)
	assert.Equal(t, http.StatusSeeOther, signIn("correct horse battery"))
	code, _, stderr = call(t, "correct horse battery\n", "users", "add", "Ada", db)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "taken")
	code, _, stderr = call(t, "short\r\n", "users", "password", "ada", db)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "8 characters")
	code, stdout, _ := call(t, "", "users", "list", db)
	assert.Zero(t, code)
	assert.Regexp(t, `^USER +CREATED +ROLE\nada +\d{4}-\d\d-\d\dT\S+ +user\n`, stdout)
	code, _, stderr = call(t, "another password", "users", "password", "ADA", db)
	require.Zero(t, code, stderr)
	assert.Equal(t, http.StatusUnauthorized, signIn("correct horse battery"))
	assert.Equal(t, http.StatusSeeOther, signIn("another password"))
	code, _, stderr = call(t, "", "users", "remove", "ada", db)
	require.Zero(t, code, stderr)
	assert.Equal(t, http.StatusUnauthorized, signIn("another password"))
	for _, gone := range [][]string{{"remove", "ada"}, {"password", "ada"}} {
		code, _, stderr = call(t, "another password\n", "users", gone[0], gone[1], db)
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, "no such user")
	}
	// A mistyped name makes no database.
	missing := filepath.Join(t.TempDir(), "missing.db")
	code, _, stderr = call(t, "", "users", "list", "--db=sqlite:"+missing)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "--db")
	assert.NoFileExists(t, missing)
}

// What could let others in than was meant is refused before anything is opened.
func TestFlagsOfVisitors(t *testing.T) {
	t.Parallel()
	for line, refused := range map[string]string{
		"--single-user": "", "--single-user --listen=localhost:0": "", "--single-user --listen=[::1]:0": "",
		"--single-user --listen=:0": "--anybody", "--single-user --listen=0.0.0.0:0": "--anybody", "--single-user --listen=192.168.1.2:80": "--anybody",
		"--single-user --listen=website.example:80": "--anybody", "--single-user --anybody --listen=:0": "", "--anybody": "--single-user",
		"--single-user --sign-up": "--sign-up", "--single-user --no-sign-up": "", "--guests=-1": "--guests",
	} {
		parser, err := kong.New(&serveCommand{}, vars())
		require.NoError(t, err)
		_, err = parser.Parse(strings.Fields(line))
		if refused == "" {
			assert.NoError(t, err, line)
			continue
		}
		assert.ErrorContains(t, err, refused, line)
	}
	for line, open := range map[string]bool{
		"": true, "--no-sign-up": false, "--listen=:0": false, "--listen=:0 --sign-up": true, "--listen=localhost:0": true,
		"--https": false, "--host=transcripts.example.com": false, "--trusted-proxy=127.0.0.1/32": false, "--https --sign-up": true,
	} {
		c := &serveCommand{}
		parser, err := kong.New(c, vars())
		require.NoError(t, err)
		_, err = parser.Parse(strings.Fields(line))
		require.NoError(t, err)
		assert.Equal(t, open, c.opensSignUp(c.Flags), line)
	}
}
