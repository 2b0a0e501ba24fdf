package visitor

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/text/unicode/norm"
)

// The bounds of a password, in characters and in bytes.
const (
	minPassword = 8
	maxPassword = 1000
)

// errPassword states the rules for passwords.
var errPassword = fmt.Errorf("a password has %d characters at least, and %d bytes at most", minPassword, maxPassword)

// checkPassword checks the rules for a new password.
func checkPassword(password string) error {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword || !utf8.ValidString(password) {
		return errPassword
	}
	return nil
}

// cost is the cost of computing a hash.
type cost struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

// passwordCost takes about a twentieth of a second, and more memory than a graphics card has
// for each of its processors.
var passwordCost = cost{memory: 46 << 10, passes: 1, threads: 1}

const (
	saltBytes = 16
	hashBytes = 32
	// mostAtOnce bounds the concurrent computations of hashes, and so the memory that strangers
	// can make the process use.
	mostAtOnce = 4
	// mostWaiting bounds the queue of strangers, and the separate queue of requests from places
	// where the user has signed in before. Each waits a fraction of a second.
	mostWaiting = 8
)

// errLine reports that the queue is full.
var errLine = errors.New("the line to check passwords is full")

// passwords computes and checks hashes with argon2id.
type passwords struct {
	cost  cost
	turns *semaphore.Weighted
	lines map[bool]*semaphore.Weighted // true: the queue of known users; false: of strangers. A computing request still counts
}

func newPasswords(c cost) *passwords {
	line := func() *semaphore.Weighted { return semaphore.NewWeighted(int64(turns() + mostWaiting)) }
	return &passwords{c, semaphore.NewWeighted(int64(turns())), map[bool]*semaphore.Weighted{true: line(), false: line()}}
}

// turns returns how many hashes are computed at once.
func turns() int { return min(runtime.GOMAXPROCS(0), mostAtOnce) }

// hash returns the stored form of a password, in PHC form. It waits in one of the queues until
// ctx ends; errLine if the queue is full.
func (p *passwords) hash(ctx context.Context, known bool, password string) (string, error) {
	h := passwordHash{cost: p.cost, salt: make([]byte, saltBytes)}
	_, _ = rand.Read(h.salt) // it never fails
	var err error
	if h.sum, err = p.compute(ctx, known, password, h); err != nil {
		return "", err
	}
	return h.String(), nil
}

// check reports whether a password matches the hash kept, and whether the password should be
// hashed again because that hash was too cheap. An empty kept matches no password, but takes as
// long to check, so that a client cannot learn which users exist.
func (p *passwords) check(ctx context.Context, known bool, kept, password string) (right, cheap bool, err error) {
	h := passwordHash{cost: p.cost, salt: make([]byte, saltBytes), sum: make([]byte, hashBytes)}
	if kept != "" {
		if h, err = parseHash(kept); err != nil {
			return false, false, err
		}
	}
	sum, err := p.compute(ctx, known, password, h)
	if err != nil {
		return false, false, err
	}
	right = subtle.ConstantTimeCompare(sum, h.sum) == 1 && kept != ""
	return right, h.memory < p.cost.memory || h.passes < p.cost.passes, nil
}

func (p *passwords) compute(ctx context.Context, known bool, password string, h passwordHash) ([]byte, error) {
	if !p.lines[known].TryAcquire(1) {
		return nil, errLine
	}
	defer p.lines[known].Release(1)
	if err := p.turns.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("waiting to check a password: %w", err)
	}
	defer p.turns.Release(1)
	// All Unicode forms of an accented letter count as the same password.
	plain := norm.NFKC.String(password)
	return argon2.IDKey([]byte(plain), h.salt, h.passes, h.memory, h.threads, hashBytes), nil
}

// passwordHash is a hash with its parameters.
type passwordHash struct {
	cost
	salt, sum []byte
}

const phcForm = "$argon2id$v=%d$m=%d,t=%d,p=%d$%s"

func (h passwordHash) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf(phcForm, argon2.Version, h.memory, h.passes, h.threads, encode(h.salt)+"$"+encode(h.sum))
}

var errHash = errors.New("a password's hash is none that this program has written")

// parseHash reads a hash. An attacker who can write the table could as well set a password, so
// the costs only have to be computable.
func parseHash(s string) (h passwordHash, err error) {
	var version int
	var rest string
	if n, _ := fmt.Sscanf(s, phcForm, &version, &h.memory, &h.passes, &h.threads, &rest); n != 5 || version != argon2.Version {
		return h, errHash
	}
	salt, sum, _ := strings.Cut(rest, "$")
	decode := base64.RawStdEncoding.DecodeString
	h.salt, err = decode(salt)
	if err == nil {
		h.sum, err = decode(sum)
	}
	if err != nil || len(h.salt) < saltBytes || len(h.sum) != hashBytes || h.memory > 1<<20 || h.passes < 1 || h.passes > 64 || h.threads < 1 {
		return h, errHash
	}
	return h, nil
}
