package follower

import "sync"

const (
	// hostMost is how many checks of one queue a process may run at one host at the same
	// time.
	hostMost = 12
	// hostMostOfAccount is how many of them may belong to one account.
	hostMostOfAccount = 3
)

// hosts counts the running checks of one queue in the process. A hosts is safe for
// concurrent use.
type hosts struct {
	mu  sync.Mutex
	all map[string]int        // by host
	of  map[accountAtHost]int // by account and host
}

type accountAtHost struct{ account, host string }

func newHosts() *hosts { return &hosts{all: map[string]int{}, of: map[accountAtHost]int{}} }

// busy returns the hosts that accept no further check of an account.
func (h *hosts) busy(account string) (names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for host := range h.all {
		if h.full(account, host) {
			names = append(names, host)
		}
	}
	return names
}

func (h *hosts) full(account, host string) bool {
	return h.all[host] >= hostMost || h.of[accountAtHost{account, host}] >= hostMostOfAccount
}

// begin counts a check, unless the host is busy. end must be called for each counted
// check.
func (h *hosts) begin(account, host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.full(account, host) {
		return false
	}
	h.all[host]++
	h.of[accountAtHost{account, host}]++
	return true
}

// end stops counting a check.
func (h *hosts) end(account, host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all[host]--; h.all[host] <= 0 {
		delete(h.all, host)
	}
	k := accountAtHost{account, host}
	if h.of[k]--; h.of[k] <= 0 {
		delete(h.of, k)
	}
}
