package follower

import "sync"

const (
	// hostMost is how many looks of one queue a process has under way at one host.
	hostMost = 12
	// hostMostOfAccount is how many of them are in the turn of one account.
	hostMostOfAccount = 3
)

// hosts counts the looks of one queue that are under way in the process. Safe for concurrent use.
type hosts struct {
	mu  sync.Mutex
	all map[string]int        // by host
	of  map[accountAtHost]int // by account and host
}

type accountAtHost struct{ account, host string }

func newHosts() *hosts { return &hosts{all: map[string]int{}, of: map[accountAtHost]int{}} }

// busy are the hosts that take no further look of an account.
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

// begin counts a look, unless the host is busy. A look that is counted ends with end.
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

// end counts a look no more.
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
