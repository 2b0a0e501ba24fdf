package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
)

// A key is parsed by length, because its base64url part may contain "_":
//
//	tr_ 9fK2mQ7a _ 43 characters base64url  6 characters base62
//	    public id  32 random bytes          CRC-32 of all before
const (
	mark         = "tr_"
	publicLength = 8
	secretBytes  = 32
	checkLength  = 6

	prefixLength = len(mark) + publicLength
	bodyLength   = prefixLength + 1 + (secretBytes*8+5)/6
	keyLength    = bodyLength + checkLength

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newSecret makes a key.
func newSecret() string {
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // never returns an error
	body := mark + publicID() + "_" + base64.RawURLEncoding.EncodeToString(random[:])
	return body + check(body)
}

// publicID draws base62 digits with equal probability.
func publicID() string {
	const fair = 256 - 256%len(base62) // higher bytes would favor the first digits
	id := make([]byte, 0, publicLength)
	var b [1]byte
	for len(id) < publicLength {
		_, _ = rand.Read(b[:]) // never returns an error
		if int(b[0]) < fair {
			id = append(id, base62[int(b[0])%len(base62)])
		}
	}
	return string(id)
}

// check returns the CRC-32 (IEEE) of body in base62, most significant digit first.
func check(body string) string {
	var digits [checkLength]byte
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := range digits {
		digits[checkLength-1-i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(digits[:])
}

// parse returns the prefix of a well-formed key with a correct checksum.
func parse(key string) (prefix string, ok bool) {
	if len(key) != keyLength || !strings.HasPrefix(key, mark) || key[prefixLength] != '_' {
		return "", false
	}
	if check(key[:bodyLength]) != key[bodyLength:] {
		return "", false
	}
	return key[:prefixLength], true
}

// FindKey finds the first text in s that has the form of a key, with a correct
// checksum, and returns its prefix. The prefix is safe to log. FindKey uses no database
// and does not check whether the key exists.
func FindKey(s string) (prefix string, ok bool) {
	for {
		at := strings.Index(s, mark)
		if at < 0 || len(s)-at < keyLength {
			return "", false
		}
		if prefix, ok := parse(s[at : at+keyLength]); ok {
			return prefix, true
		}
		s = s[at+len(mark):]
	}
}

// keyLike matches a key, and also a truncated or mistyped key: most of a key is secret too.
var keyLike = regexp.MustCompile(fmt.Sprintf(`(%s[0-9A-Za-z]{%d})_[0-9A-Za-z_-]{1,%d}`,
	mark, publicLength, keyLength-prefixLength-1))

// HideKeys replaces each text in s that looks like a key, or like the beginning of one,
// with its prefix and "…". The result is safe to log.
func HideKeys(s string) string {
	if !strings.Contains(s, mark) { // the usual case
		return s
	}
	return keyLike.ReplaceAllString(s, "$1…")
}

// digest returns the stored form of a key. A slow hash is not necessary, because a key has 256
// random bits.
func digest(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
