package ytdlp

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fault returns the reason why a run did not deliver its result.
func fault(c engine.Content, exit engine.Exit) *transcript.Error {
	if e, ok := reason(c, exit); ok {
		return e
	}
	return upstream("The platform's answer cannot be understood.").Because(because(lastComplaint(exit.Stderr)))
}

// reason returns the egress guard's refusal, otherwise the first condition that matches the
// program's errors, otherwise its warnings. If an error only reports a fault or a status, or
// matches nothing, an earlier warning in the site's own words is the cause.
func reason(c engine.Content, exit engine.Exit) (*transcript.Error, bool) {
	e, ok := told(c, exit)
	return withHost(e, exit), ok
}

func told(c engine.Content, exit engine.Exit) (e *transcript.Error, ok bool) {
	if len(exit.Refused) > 0 {
		return refusedByGuard(c.URL, exit), true
	}
	said := complaints(exit.Stderr)
	full := func(complaint string) bool { // ENOSPC and EDQUOT
		return strings.Contains(complaint, "[Errno 28]") || strings.Contains(complaint, "[Errno 122]")
	}
	if i := slices.IndexFunc(said.errors, full); i >= 0 {
		why := fmt.Errorf("%w: %w", because(said.errors[i]), syscall.ENOSPC)
		return transcript.Errorf(transcript.Internal, "The service has no room on its disk.").Because(why), true
	}
	e, ok = known(conditions, c, said.errors)
	if ok && hides(e.Code) {
		return e, true
	}
	if before, warned := known(conditions, c, said.warnings); warned && (len(said.errors) == 0 || hides(before.Code)) {
		return before, true
	}
	if !ok {
		e, ok = known(fatal, c, said.errors)
	}
	return e, ok
}

// withHost returns the error for a host whose name could not be looked up, if the program only
// complains that it cannot reach the host, and any other error unchanged.
func withHost(e *transcript.Error, exit engine.Exit) *transcript.Error {
	if e == nil || len(exit.Unknown) == 0 || !unreachable.Names(e) {
		return e
	}
	return unknownhost.Named(exit.Unknown[0]).Because(e.Err)
}

// known returns the meaning of the first condition that matches one of the complaints.
func known(some []condition, c engine.Content, said []string) (e *transcript.Error, ok bool) {
	wording := strings.NewReplacer(
		// "[site] ID: the problem": neither the id nor the link describes the problem.
		c.URL, "", " "+c.ExternalID+":", "", `"`+c.ExternalID+`"`, "",
		"may yield HTTP Error 403", "", // a format that the program leaves out by itself
		"’", "'",
	)
	plain := make([]string, len(said))
	for i, complaint := range said {
		plain[i] = strings.ToLower(wording.Replace(complaint))
	}
	for _, known := range some {
		if i := slices.IndexFunc(plain, known.matches); i >= 0 {
			return known.means.Because(because(said[i])), true
		}
	}
	return nil, false
}

// refusedByGuard is the error of a run that the egress guard refused, because of the link
// itself or of an address in a page.
func refusedByGuard(link string, exit engine.Exit) *transcript.Error {
	why := errors.New("ytdlp: the egress guard refused " + strings.Join(exit.Refused, ", "))
	own := hostPort(link)
	if slices.ContainsFunc(exit.Refused, func(address string) bool { return strings.EqualFold(address, own) }) {
		return unavailable("The link leads to an address that is not public.").Because(why)
	}
	return upstream("The page leads to an address that is not public.").Because(why)
}

// hostPort returns the address of a link in the guard's form, except for the case.
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

// matches reports whether a complaint, in lower case, has all phrases of the condition.
func (c condition) matches(complaint string) bool {
	return !slices.ContainsFunc(c.says, func(phrase string) bool { return !strings.Contains(complaint, phrase) })
}
