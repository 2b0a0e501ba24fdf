package ytdlp

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/said"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// retryAfter is, in seconds, when to ask a platform again that blocks and does
// not say for how long.
const retryAfter = 30

// fault says why a run did not yield what it was for.
func fault(c engine.Content, exit engine.Exit) *transcript.Error {
	if len(exit.Refused) > 0 {
		return refusal(c.URL, exit)
	}
	why := lastComplaint(exit.Stderr)
	// "[site] ID: what is wrong": neither the id nor the link says what is.
	complaint := strings.NewReplacer(c.URL, "", " "+c.ExternalID+":", "").Replace(complaints(exit.Stderr))
	complaint = strings.ToLower(complaint)
	for _, known := range conditions {
		if known.matches(complaint) {
			return known.fault(why)
		}
	}
	return upstream("The platform's answer cannot be understood.").Because(because(why))
}

// refusal is a run that the egress guard did not let through: because of the
// link itself, or of what a page named (contract 16.6).
func refusal(link string, exit engine.Exit) *transcript.Error {
	why := errors.New("ytdlp: the egress guard refused " + strings.Join(exit.Refused, ", "))
	own := hostPort(link)
	if slices.ContainsFunc(exit.Refused, func(address string) bool { return strings.EqualFold(address, own) }) {
		return unavailable("The link leads to an address that is not public.").Because(why)
	}
	return upstream("The page leads to an address that is not public.").Because(why)
}

// hostPort is the address that a link leads to, as the guard writes it, but for
// the case.
func hostPort(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
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
	return said.Line(text, 500)
}
