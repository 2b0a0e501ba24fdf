package plain

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Words returns the text of an error. It replaces texts of the system and the standard
// library by plain words, and leaves out the names of packages.
func Words(err error) string {
	text := err.Error()
	for _, inner := range within(err) {
		if words, known := ofSystem(inner); known {
			text = replace(text, inner.Error(), words)
		}
	}
	return Text(text)
}

// Text is like Words, for a text whose error is lost.
func Text(text string) string {
	for _, r := range untyped {
		text = r.text.ReplaceAllString(text, r.words)
	}
	return once(packages.ReplaceAllString(text, "$1"))
}

// once leaves out a name that stands a second time right after itself, as in "--from x: x: there
// is no such file".
func once(text string) string {
	parts := strings.Split(text, ": ")
	kept := parts[:1]
	for _, part := range parts[1:] {
		if before := kept[len(kept)-1]; part == "" || before != part && !strings.HasSuffix(before, " "+part) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ": ")
}

// packages are the names of packages, and of their options, at the beginning of errors.
var packages = regexp.MustCompile(`(^|: |\n)(?:(?:store|account|models|site|openai|whisper|pocketsphinx|dataapi|ytdlp|server|client|transcript|blobs|JSRuntime): )+`)

// untyped are texts of errors of the standard library that have no type.
var untyped = []struct {
	text  *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`(?:net/)?http: server gave HTTP response to HTTPS client`), "it does not speak TLS: write http:// in its address"},
	{regexp.MustCompile(`(?:net/)?http: request canceled[^:]*`), "it has not answered in time"},
	{regexp.MustCompile(`context deadline exceeded`), "it has not answered in time"},
	{regexp.MustCompile(`blob (\(key "[^"]*"\) )?\(code=\w+\): `), ""},
	{regexp.MustCompile(`: exec: "[^"]*": .*`), ""},
	{regexp.MustCompile(`invalid URL escape "[^"]*"`), "% stands before something that is no code"},
}

// replace puts words in place of a part of a text. Without words it takes the part away, and what
// connects the part.
func replace(text, part, words string) string {
	if words == "" {
		text = strings.ReplaceAll(text, ": "+part, "")
	}
	return strings.ReplaceAll(text, part, words)
}

// within returns an error and all errors that it wraps, the outer ones first.
func within(err error) []error {
	all := []error{err}
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			all = append(all, within(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = append(all, within(inner)...)
		}
	}
	return all
}

// ofSystem returns the words for an error of the system or of the standard library.
func ofSystem(err error) (words string, known bool) {
	switch e := err.(type) { //nolint:errorlint // within has unwrapped it
	case *fs.PathError:
		return named(e.Path) + ": " + reason(e.Err), true
	case *os.LinkError:
		return e.New + ": " + reason(e.Err), true
	case *os.SyscallError:
		return reason(e.Err), true
	case syscall.Errno:
		return reason(e), true
	case *transcript.Error:
		if e.Err == nil {
			return "", false
		}
		return string(e.Code) + ": " + strings.TrimSuffix(e.Message, "."), true // the cause is for the log
	case *exec.Error:
		return "", true // the text before it names the program
	case *url.Error:
		return Words(e.Err), true
	case *net.OpError:
		return connection(e), true
	case *net.DNSError:
		return unknownHost(e), true
	case *strconv.NumError:
		return fmt.Sprintf("%q is no number", e.Num), true
	case *json.SyntaxError:
		return fmt.Sprintf("byte %d is out of place", e.Offset), true
	case *json.UnmarshalTypeError:
		return fmt.Sprintf("%s has a value of the wrong type (%s)", e.Field, e.Value), true
	case tls.RecordHeaderError:
		return "it does not speak TLS: write http:// in its address", true
	case *tls.CertificateVerificationError, x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError:
		return "its certificate is not trusted: add the certificate of its authority to this machine's", true
	}
	switch err { //nolint:errorlint // within has unwrapped it
	case context.DeadlineExceeded:
		return "it has not answered in time", true
	case io.ErrUnexpectedEOF, io.EOF:
		return "it ended too early", true
	}
	return "", false
}

// named returns the name of a file for people.
func named(path string) string {
	if path == "|1" || path == os.Stdout.Name() {
		return "standard output"
	}
	return path
}

// connection describes an error of a connection.
func connection(e *net.OpError) string {
	var name *net.DNSError
	var inner *net.OpError
	at := "the other end"
	if e.Addr != nil {
		at = e.Addr.String()
	}
	switch {
	case errors.As(e.Err, &inner): // of a proxy
		return connection(inner)
	case errors.As(e, &name):
		return unknownHost(name)
	case e.Op == "listen" && errors.Is(e, syscall.EADDRINUSE):
		return "another program listens on " + at
	case e.Op == "listen":
		return at + ": " + reason(e.Err)
	case e.Timeout():
		return at + " does not answer"
	case errors.Is(e, syscall.ECONNREFUSED):
		return "nothing listens on " + at
	case e.Op == "dial", e.Op == "proxyconnect":
		return at + " cannot be reached: " + reason(e.Err)
	case e.Op == "remote error": // a word of the other end's TLS
		return "the other end refuses the connection"
	}
	return "the connection to " + at + " broke"
}

func unknownHost(e *net.DNSError) string {
	return fmt.Sprintf("this machine cannot find the host %s", e.Name)
}

const noFile = "there is no such file: correct the name"

// reasons are the words for the errors of system calls.
var reasons = map[syscall.Errno]string{
	syscall.ENOENT:        noFile,
	syscall.EACCES:        "the rights do not permit it: change them, or name another path",
	syscall.EPERM:         "the rights do not permit it: change them, or name another path",
	syscall.EISDIR:        "it is a folder: name a file in it",
	syscall.ENOTDIR:       "a part of the path is no folder: name another path",
	syscall.ENOSPC:        "the disk is full: make room on it",
	syscall.EDQUOT:        "the disk is full: make room on it",
	syscall.EFBIG:         "a limit does not permit a file of this size: raise it (ulimit -f), or name another path",
	syscall.EROFS:         "the file system is read-only: name another path",
	syscall.ENAMETOOLONG:  "the name is too long: shorten it",
	syscall.EEXIST:        "there is another file of this name: name another path",
	syscall.EPIPE:         "the reader has gone",
	syscall.EADDRNOTAVAIL: "this machine does not have this address",
	syscall.ENETUNREACH:   "there is no way to it from this machine",
	syscall.EHOSTUNREACH:  "there is no way to it from this machine",
	syscall.ECONNREFUSED:  "nothing listens there",
	syscall.ECONNRESET:    "the connection broke",
}

// reason returns the words for an error of a system call.
func reason(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return cmp.Or(reasons[number], number.Error())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return noFile
	}
	return err.Error()
}
