// Package webhooksign signs requests and checks signatures as the Standard Webhooks
// specification says: with HMAC-SHA256 ("v1") and with ed25519 ("v1a").
package webhooksign

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// The headers of a request.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

const (
	// maxID is the length of the longest id, in bytes.
	maxID = 255
	// maxSignatures limits the work of a receiver. A sender that changes its keys sends four
	// signatures: the old and the new one of both versions.
	maxSignatures = 16
)

// Verify checks the signatures of a request with the secrets ("whsec_…") and public keys
// ("whpk_…") of the receiver, and returns the id of the request. A single good signature is
// enough. Empty secrets count as absent. Each error is a [webhook.Fault].
func Verify(secrets []string, h http.Header, body []byte, now time.Time) (id string, err error) {
	keys, err := parseKeys(secrets)
	if err != nil {
		return "", err
	}
	id, err = single(h, HeaderID)
	if err != nil {
		return "", err
	}
	if len(id) > maxID || strings.Contains(id, ".") { // a dot ends the id in the signed text
		return "", fmt.Errorf("%w: webhook-id has a dot, or more than %d bytes", webhook.FaultHeader, maxID)
	}
	timestamp, err := single(h, HeaderTimestamp)
	if err != nil {
		return "", err
	}
	if err := checkTime(timestamp, now); err != nil {
		return "", err
	}
	signatures := strings.Fields(strings.Join(h.Values(HeaderSignature), " "))
	switch {
	case len(signatures) == 0:
		return "", fmt.Errorf("%w: webhook-signature is missing", webhook.FaultHeader)
	case len(signatures) > maxSignatures:
		return "", fmt.Errorf("%w: webhook-signature has more than %d signatures", webhook.FaultHeader, maxSignatures)
	}
	signed := content(id, timestamp, body)
	for _, key := range keys {
		matches := key.matcher(signed)
		for _, s := range signatures {
			if signature, ok := ofVersion(key.version(), s); ok && matches(signature) {
				return id, nil
			}
		}
	}
	return "", fmt.Errorf("%w: the secret is of another endpoint or no longer good, or the body was changed", webhook.FaultSignature)
}

// single returns the value of a header that must occur exactly once in the request.
func single(h http.Header, name string) (string, error) {
	values := h.Values(name)
	if len(values) != 1 || values[0] == "" {
		return "", fmt.Errorf("%w: the request has %s %d times, not once", webhook.FaultHeader, strings.ToLower(name), len(values))
	}
	return values[0], nil
}

func checkTime(timestamp string, now time.Time) error {
	seconds, err := strconv.ParseUint(timestamp, 10, 40) // refuses to sign; 40 bits last for 34,000 years
	if err != nil {
		return fmt.Errorf("%w: webhook-timestamp is no number of seconds", webhook.FaultHeader)
	}
	age := now.Sub(time.Unix(int64(seconds), 0))
	if age.Abs() > webhook.Tolerance {
		return fmt.Errorf("%w: the request is %s old, and may be %s old at most or as much ahead", webhook.FaultTime, age.Round(time.Second), webhook.Tolerance)
	}
	return nil
}

// content is the text that is signed.
func content(id, timestamp string, body []byte) []byte {
	return append([]byte(id+"."+timestamp+"."), body...)
}

// ofVersion decodes a signature of the version.
func ofVersion(version, signature string) ([]byte, bool) {
	text, ok := strings.CutPrefix(signature, version+",")
	if !ok {
		return nil, false
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	return decoded, err == nil
}

// verifyingKey checks signatures of one version.
type verifyingKey struct {
	secret []byte            // of v1
	public ed25519.PublicKey // of v1a
}

func (k verifyingKey) version() string {
	if k.public != nil {
		return "v1a"
	}
	return "v1"
}

// matcher returns the test of a signature of signed.
func (k verifyingKey) matcher(signed []byte) func(signature []byte) bool {
	if k.public != nil {
		return func(signature []byte) bool { return ed25519.Verify(k.public, signed, signature) }
	}
	mac := hmac.New(sha256.New, k.secret)
	mac.Write(signed)
	want := mac.Sum(nil)
	return func(signature []byte) bool { return hmac.Equal(want, signature) } // in constant time
}

// The prefixes of keys.
const (
	secretPrefix = "whsec_"
	publicPrefix = "whpk_"
)

// The sizes of secrets in bytes.
const (
	minSecret = 24
	maxSecret = 64
)

// parseKeys reads the keys of a receiver. No error repeats a key.
func parseKeys(secrets []string) (keys []verifyingKey, err error) {
	for i, text := range secrets {
		if text == "" {
			continue
		}
		key, err := parseKey(text)
		if err != nil {
			return nil, fmt.Errorf("%w: secret %d of %d %w", webhook.FaultSecret, i+1, len(secrets), err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w: there is none: the receiver needs the secret or the public key of the endpoint", webhook.FaultSecret)
	}
	return keys, nil
}

func parseKey(text string) (verifyingKey, error) {
	if encoded, ok := strings.CutPrefix(text, secretPrefix); ok {
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(secret) < minSecret || len(secret) > maxSecret { // an empty secret would accept everybody
			return verifyingKey{}, fmt.Errorf("must be %s and %d to %d bytes in base64", secretPrefix, minSecret, maxSecret)
		}
		return verifyingKey{secret: secret}, nil
	}
	if encoded, ok := strings.CutPrefix(text, publicPrefix); ok {
		public, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(public) != ed25519.PublicKeySize {
			return verifyingKey{}, fmt.Errorf("must be %s and %d bytes in base64", publicPrefix, ed25519.PublicKeySize)
		}
		return verifyingKey{public: public}, nil
	}
	return verifyingKey{}, fmt.Errorf("must begin with %s or %s", secretPrefix, publicPrefix)
}
