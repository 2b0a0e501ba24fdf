package edge

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// MaxConnections is how many connections an http.Server of the service keeps open: more than
// clients need, and fewer than the file descriptors that a process may have.
const MaxConnections = 2000

// The shares of a process's connections that one holder may occupy with running requests.
const (
	accountPart = 8 // of the connections: an account, unless its plan says otherwise
	networkPart = 8 // of the connections: a /24 of IPv4 or a /48 of IPv6
	addressPart = 2 // of a network's share: an IPv4 address, or an IPv6 /64
	waitPart    = 2 // of an account's share: requests that wait, and event streams
)

// underWay counts the running requests.
type underWay struct {
	most int // per account and per network; see accountPart and networkPart

	accounts, waits underway.Counter[string]
	clients         underway.Counter[netip.Prefix]
}

func newUnderWay(connections int) *underWay {
	return &underWay{most: max(connections/accountPart, 1)}
}

// tooMany refuses a request if its account or client already has limit running requests.
func tooMany(limit int) *FlatRefusal {
	e := RateLimited(time.Second)
	e.message = fmt.Sprintf("%d requests are under way, and there may be no more. Repeat this one when another has ended.", limit)
	return e
}

// ofAccount counts the request that ctx belongs to for an account, until uncount.
func (e *Edge) ofAccount(ctx context.Context, p account.Principal) error {
	most := e.mostOf(p.Plan)
	if !e.underWay.accounts.Take(p.Account, most) {
		return tooMany(most)
	}
	exchangeOf(ctx).counted = p.Account
	underway.Hold(ctx, underway.Holder{Account: p.Account})
	return nil
}

// uncount ends the count of ofAccount, when the request is answered.
func (e *Edge) uncount(n *exchange) {
	if n.counted != "" {
		e.underWay.accounts.Release(n.counted)
	}
}

// mostOf is how many running requests an account with the plan may have; a negative value means
// any number.
func (e *Edge) mostOf(p account.Plan) int { return cmp.Or(p.ConcurrentRequests, e.underWay.most) }

// mostWaits is how many of them may wait or stream events; a negative value means any
// number.
func (e *Edge) mostWaits(p account.Plan) int {
	most := e.mostOf(p)
	if most < 0 {
		return most
	}
	return max(most/waitPart, 1)
}

// ofClient counts a request for the address and the network of its client, until release is called.
// A handler around this one may have counted it already.
func (e *Edge) ofClient(ctx context.Context, client netip.Addr) (_ context.Context, release func(), err error) {
	if ctx.Value(clientKey{}) != nil {
		return ctx, func() {}, nil
	}
	address, network := underway.Address(client), underway.Network(client)
	most := e.underWay.most * accountPart / networkPart
	if !e.underWay.clients.Take(network, most) {
		return nil, nil, tooMany(most)
	}
	perAddress := max(most/addressPart, 1)
	if address.IsValid() && !e.underWay.clients.Take(address, perAddress) {
		e.underWay.clients.Release(network)
		return nil, nil, tooMany(perAddress)
	}
	underway.Hold(ctx, underway.Holder{Network: network})
	return context.WithValue(ctx, clientKey{}, true), func() {
		e.underWay.clients.Release(network)
		if address.IsValid() {
			e.underWay.clients.Release(address)
		}
	}, nil
}

// clientKey marks the context of a request that counts for its client.
type clientKey struct{}

// TakeWait counts the request that ctx belongs to among the waiting requests of its account, until
// release is called. TakeWait reports false if no other request may wait; then there is nothing to
// release.
func TakeWait(ctx context.Context) (release func(), ok bool) {
	n := exchangeOf(ctx)
	if n.identity == nil || n.edge == nil {
		return func() {}, true
	}
	waits, p := &n.edge.underWay.waits, n.identity.principal
	if !waits.Take(p.Account, n.edge.mostWaits(p.Plan)) {
		return nil, false
	}
	return func() { waits.Release(p.Account) }, true
}
