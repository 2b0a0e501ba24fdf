package browsertest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// sight records the actions and reports of a browser while it shows a page.
type sight struct {
	mu       sync.Mutex
	hosts    []string // that the test opened
	asked    []string // URLs
	received int64    // bytes of whole answers with their headers, as they were sent
	faults   []string
	expected []*regexp.Regexp
}

func (s *sight) see(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		s.asked = append(s.asked, event.Request.URL)
	case *network.EventLoadingFinished:
		s.received += int64(event.EncodedDataLength)
	case *network.EventLoadingFailed:
		if !event.Canceled { // leaving a page cancels all its requests
			s.fault("loading: %s %s", event.ErrorText, event.BlockedReason)
		}
	case *runtime.EventExceptionThrown:
		said := event.ExceptionDetails.Text
		if thrown := event.ExceptionDetails.Exception; thrown != nil {
			said += " " + thrown.Description
		}
		s.fault("exception: %s at %s:%d", said, event.ExceptionDetails.URL, event.ExceptionDetails.LineNumber+1)
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
			for _, arg := range event.Args {
				s.fault("console: %s %s", arg.Value, arg.Description)
			}
		}
	case *log.EventEntryAdded: // violations of the policy too
		if event.Entry.Level == log.EntryLevelError || event.Entry.Level == log.EntryLevelWarning {
			s.fault("log: %s %s", event.Entry.Text, event.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		s.fault("dialog: %s %q", event.Type, event.Message)
	}
}

func (s *sight) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

func (s *sight) opened(u *url.URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts = append(s.hosts, u.Host)
}

// unexpected returns the faults that the test did not expect, and the requests to hosts that
// the test did not open.
func (s *sight) unexpected() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := slices.Clone(s.faults)
	for _, address := range s.asked {
		u, err := url.Parse(address)
		if err != nil || !slices.Contains([]string{"data", "blob", "about"}, u.Scheme) && !slices.Contains(s.hosts, u.Host) {
			faults = append(faults, "asked elsewhere: "+address)
		}
	}
	return slices.DeleteFunc(faults, func(fault string) bool {
		return slices.ContainsFunc(s.expected, func(e *regexp.Regexp) bool { return e.MatchString(fault) })
	})
}

// Quote writes a string as JavaScript.
func Quote(s string) string {
	var b strings.Builder
	if err := json.NewEncoder(&b).Encode(s); err != nil {
		panic(err) // no string fails
	}
	return strings.TrimSpace(b.String())
}
