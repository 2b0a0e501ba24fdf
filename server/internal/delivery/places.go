package delivery

import (
	"sync"
	"time"
)

const (
	// StepsAtOnce is how many endpoints a process serves at the same time from each queue. A
	// step waits for the network, so many steps cost little.
	StepsAtOnce = 128
	// A receiver that does not answer holds a place for 20 s. Therefore one account may hold
	// only a few of the places in a queue, and one host half of them.
	placesOfAccount = 4
	placesOfHost    = StepsAtOnce / 2
	// fullPause is how long an endpoint waits if its account or its host has no free place.
	fullPause = time.Second
)

// places counts the endpoints that this process serves, for each account and each host.
type places struct {
	mu       sync.Mutex
	accounts map[string]int
	hosts    map[string]int
}

func newPlaces() *places { return &places{accounts: map[string]int{}, hosts: map[string]int{}} }

// enter takes a place, which the caller returns with leave. If the account or the host has no
// free place, ok is false.
func (p *places) enter(account, host string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.accounts[account] >= placesOfAccount || p.hosts[host] >= placesOfHost {
		return nil, false
	}
	p.accounts[account]++
	p.hosts[host]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		less(p.accounts, account)
		less(p.hosts, host)
	}, true
}

// less decrements a count, and removes it at 0.
func less(of map[string]int, name string) {
	if of[name]--; of[name] == 0 {
		delete(of, name)
	}
}
