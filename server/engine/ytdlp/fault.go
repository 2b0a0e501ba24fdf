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
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fault says why a run did not yield what it was for.
func fault(c engine.Content, exit engine.Exit) *transcript.Error {
	if e, ok := reason(c, exit); ok {
		return e
	}
	return upstream("The platform's answer cannot be understood.").Because(because(lastComplaint(exit.Stderr)))
}

// reason is what the egress guard refused, else the first condition that the
// program complains of: in its errors, and where there is none in its warnings.
// Where an error tells of a mere fault or a status, or of nothing that is known, what the
// site has said before, in a warning, is the cause of that.
func reason(c engine.Content, exit engine.Exit) (e *transcript.Error, ok bool) {
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

// known is the first of some conditions that one of the complaints meets.
func known(some []condition, c engine.Content, said []string) (e *transcript.Error, ok bool) {
	wording := strings.NewReplacer(
		// "[site] ID: what is wrong": neither the id nor the link says what is.
		c.URL, "", " "+c.ExternalID+":", "", `"`+c.ExternalID+`"`, "",
		"may yield HTTP Error 403", "", // what the program spares itself by leaving a format out
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

// refusedByGuard is a run that the egress guard did not let through: because of the
// link itself, or of what a page named.
func refusedByGuard(link string, exit engine.Exit) *transcript.Error {
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

// matches reports whether a complaint, in lower case, has all phrases of the condition.
func (c condition) matches(complaint string) bool {
	return !slices.ContainsFunc(c.says, func(phrase string) bool { return !strings.Contains(complaint, phrase) })
}
