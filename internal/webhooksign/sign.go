package webhooksign

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const newSecret = 32 // the bytes of a new secret

// Key signs for an endpoint: with a secret, and with the private half of a key pair. A Key
// prints as "[key]". The zero value signs nothing.
type Key struct {
	secret  []byte
	private ed25519.PrivateKey
}

// NewKey returns a random key.
func NewKey() Key {
	all := make([]byte, newSecret+ed25519.SeedSize)
	_, _ = rand.Read(all) // crypto/rand never fails
	k, _ := ParseKey(all) // the length is right
	return k
}

// ParseKey reads what Bytes has returned. No error repeats the bytes.
func ParseKey(b []byte) (Key, error) {
	if len(b) != newSecret+ed25519.SeedSize {
		return Key{}, errors.New("webhooksign: a key of another length")
	}
	return Key{b[:newSecret:newSecret], ed25519.NewKeyFromSeed(b[newSecret:])}, nil
}

// Bytes returns the key in the form in which it is kept.
func (k Key) Bytes() []byte {
	return append(k.secret[:len(k.secret):len(k.secret)], k.private.Seed()...)
}

// Secret returns what a receiver needs to check signatures of version v1: "whsec_" and base64.
func (k Key) Secret() string { return secretPrefix + base64.StdEncoding.EncodeToString(k.secret) }

// Public returns what a receiver needs to check signatures of version v1a: "whpk_" and base64.
func (k Key) Public() string {
	public, _ := k.private.Public().(ed25519.PublicKey) // always is one
	return publicPrefix + base64.StdEncoding.EncodeToString(public)
}

// Format writes "[key]" for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[key]") } // fmt drops this error too

// Sign sets the three headers of a request. Each key adds a signature of version v1 and one
// of version v1a. The id has no dot and at most 255 bytes.
func Sign(h http.Header, keys []Key, id string, at time.Time, body []byte) {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signed := content(id, timestamp, body)
	var all []string
	for _, k := range keys {
		mac := hmac.New(sha256.New, k.secret)
		mac.Write(signed)
		all = append(all,
			"v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)),
			"v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, signed)))
	}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, timestamp)
	h.Set(HeaderSignature, strings.Join(all, " "))
}
