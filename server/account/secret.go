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

// A key is parsed by length, as its base64url part may hold "_":
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

// newSecret makes a key. crypto/rand does not fail.
func newSecret() string {
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // never returns an error
	body := mark + publicID() + "_" + base64.RawURLEncoding.EncodeToString(random[:])
	return body + check(body)
}

// publicID draws base62 digits, each as likely as the other.
func publicID() string {
	const fair = 256 - 256%len(base62) // bytes from here on would favor the first digits
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

// check is the CRC-32 (IEEE) of body in base62, most significant digit first.
func check(body string) string {
	var digits [checkLength]byte
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := range digits {
		digits[checkLength-1-i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(digits[:])
}

// parse returns the prefix of a well-formed key whose checksum holds.
func parse(key string) (prefix string, ok bool) {
	if len(key) != keyLength || !strings.HasPrefix(key, mark) || key[prefixLength] != '_' {
		return "", false
	}
	if check(key[:bodyLength]) != key[bodyLength:] {
		return "", false
	}
	return key[:prefixLength], true
}

// FindKey looks for something of the form of a key anywhere in s, its checksum
// included, and returns the prefix of the first: fit for a log, unlike s. It
// needs no database and does not say whether the key exists.
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

// keyLike is a key, or what an error has left of one that was cut off or mistyped: also
// most of a key is a secret.
var keyLike = regexp.MustCompile(fmt.Sprintf(`(%s[0-9A-Za-z]{%d})_[0-9A-Za-z_-]{1,%d}`,
	mark, publicLength, keyLength-prefixLength-1))

// HideKeys cuts whatever in s looks like a key, or like the beginning of one, down to
// its prefix and "…": s is then fit for a log.
func HideKeys(s string) string {
	if !strings.Contains(s, mark) { // as in most
		return s
	}
	return keyLike.ReplaceAllString(s, "$1…")
}

// digest is what is stored of a key. The secret has 256 random bits, so there
// is nothing for a slow hash to protect.
func digest(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
