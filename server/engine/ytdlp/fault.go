package ytdlp

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// retryAfter is, in seconds, when to ask a platform again that blocks and does
// not say for how long.
const retryAfter = 30

// fault says why a run did not yield what it was for.
func fault(link *url.URL, exit engine.Exit) *transcript.Error {
	if len(exit.Refused) > 0 {
		return refusal(link, exit)
	}
	why := lastComplaint(exit.Stderr)
	complaint := strings.ToLower(complaints(exit.Stderr))
	for _, c := range conditions {
		if c.matches(complaint) {
			return c.fault(why)
		}
	}
	return upstream("The platform's answer cannot be understood.").Because(because(why))
}

// refusal is a run that the egress guard did not let through: because of the
// link itself, or of what a page named (contract 16.6).
func refusal(link *url.URL, exit engine.Exit) *transcript.Error {
	why := errors.New("ytdlp: the egress guard refused " + strings.Join(exit.Refused, ", "))
	if slices.Contains(exit.Refused, hostPort(link)) {
		return unavailable("The link leads to an address that is not public.").Because(why)
	}
	return upstream("The page leads to an address that is not public.").Because(why)
}

// hostPort writes an address as the guard does.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

func (c condition) matches(complaint string) bool {
	return !slices.ContainsFunc(c.says, func(phrase string) bool { return !strings.Contains(complaint, phrase) })
}

func (c condition) fault(why string) *transcript.Error {
	e := transcript.Errorf(c.code, "%s", c.message).Because(because(why))
	if c.code == transcript.IPBlocked {
		e.RetryAfter = retryAfter
	}
	return e
}

func because(complaint string) error { return errors.New("ytdlp: " + complaint) }

// complaints are the program's errors, or its warnings when it ended without one.
// An error may have several lines.
func complaints(stderr []byte) string {
	text := string(stderr)
	if i := strings.Index(text, "ERROR: "); i >= 0 {
		return text[i:]
	}
	return text
}

// lastComplaint is the last error of the program, else its last line; for the
// log, so it is cut.
func lastComplaint(stderr []byte) string {
	text := strings.TrimSpace(string(stderr))
	if i := strings.LastIndex(text, "ERROR: "); i >= 0 {
		text = text[i:]
	} else {
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	return line(text, 500)
}
