// Package programtest has the common parts of the tests of our programs: unusual calls with their
// expected messages, terminals, and shells that complete command lines.
package programtest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// OddUse is one unusual call of a program.
type OddUse struct {
	What   string // what is odd
	Call   string // the arguments, for the reader of the golden file; passwords in it are "secret"
	Code   int    // the expected exit code
	Cure   string // the words of the output that say what to do
	Exited int    // the exit code
	Output string // what the program has written, to both outputs
}

// inner are internal texts of libraries and of Go that no user should read.
var inner = regexp.MustCompile(`dial (tcp|udp|unix)|proxyconnect|strconv\.|sql: |SQLSTATE|` +
	`\b(open|read|stat|lstat|mkdir|rename|create|unlink|fork/exec) /|no such file or directory|connection refused|` +
	`goroutine|panic:|runtime error|\.go:\d+|0x[0-9a-f]{4,}|%!|<nil>|` +
	`x509:|tls:|(^|[^.\w])json:|exec:|\bhttp:|\btime:|\bnet:|\burl:|parse "|unexpected EOF|context (deadline|canceled)|invalid character|syscall|errno|` +
	`(^|[ \n])(store|account|models|client|server|openai|whisper|ytdlp|dataapi|transcript|kong|pgx|pgconn|goose|river): `)

// addresses are URLs, in which "http:" does not count as an internal text.
var addresses = regexp.MustCompile(`\w+://`)

// varying are the parts of outputs that differ from run to run.
var varying = []struct {
	text *regexp.Regexp
	is   string
}{
	{regexp.MustCompile(`(?s)Usage: (\S+).*\n(\S+: no command)`), "Usage: $1 …\n$2"}, // the help of the program
	{regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}`), "$1:PORT"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`\(request [^)]+\)`), "(request ID)"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b\d+(\.\d+)? [GM]B free`), "N GB free"},
	{regexp.MustCompile(`\b50\d( bytes|: look)`), "500$1"}, // a compressed file
	{regexp.MustCompile(`needs \d+ bytes`), "needs N bytes"},
	{regexp.MustCompile(`-[0-9a-f]{16}/`), "-HASH/"},
	{regexp.MustCompile(`(?m)^time=.*\n`), ""},
	{regexp.MustCompile(`(?m)^(sending|job ID|waiting for|checking the|looking for|recognizing|publishing|done|connection lost|The service knew this)\b.*\n`), ""}, // progress
	{regexp.MustCompile(`[0-9.]+m?s \(attempt`), "N s (attempt"},
}

// CheckOdd fails the test for each use without its exit code or its remedy, and for each internal
// text. It compares the outputs with the golden file, or writes the file. The pairs are folders
// and words that differ from run to run, and their replacements.
func CheckOdd(t *testing.T, golden string, update bool, uses []OddUse, pairs ...string) {
	t.Helper()
	var table strings.Builder
	steady := strings.NewReplacer(pairs...)
	for _, use := range uses {
		output := settle(steady.Replace(use.Output))
		if use.Exited != use.Code {
			t.Errorf("%s: exit code %d, want %d:\n%s", use.What, use.Exited, use.Code, output)
		}
		if use.Cure == "" || !strings.Contains(use.Output, use.Cure) && !strings.Contains(output, use.Cure) {
			t.Errorf("%s: the cure %q is not in:\n%s", use.What, use.Cure, output)
		}
		if found := inner.FindString(addresses.ReplaceAllString(output, "")); found != "" {
			t.Errorf("%s: the inner text %q is in:\n%s", use.What, found, output)
		}
		if strings.Contains(use.Output, "secret") {
			t.Errorf("%s: the secret is in:\n%s", use.What, output)
		}
		fmt.Fprintf(&table, "# %s\n$ %s\n%sexit code %d\n\n", use.What, settle(steady.Replace(use.Call)), output, use.Exited)
	}
	if update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden) //nolint:gosec // the test's own file
	if err != nil {
		t.Fatal(err)
	}
	compare(t, string(want), table.String())
}

// settle replaces the varying parts of a text.
func settle(text string) string {
	for _, v := range varying {
		text = v.text.ReplaceAllString(text, v.is)
	}
	return text
}

// compare reports each use whose output has changed.
func compare(t *testing.T, want, is string) {
	t.Helper()
	if want == is {
		return
	}
	before, after := strings.Split(want, "\n\n"), strings.Split(is, "\n\n")
	for i := range max(len(before), len(after)) {
		switch {
		case i >= len(before):
			t.Errorf("new, use -update:\n%s", after[i])
		case i >= len(after):
			t.Errorf("gone:\n%s", before[i])
		case before[i] != after[i]:
			t.Errorf("was:\n%s\nis:\n%s", before[i], after[i])
		}
	}
}
