package webhooksign_test

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// The test vector of the document of Standard Webhooks.
const (
	vectorSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	vectorID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	vectorBody      = `{"test": 2432232314}`
	vectorSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

var vectorTime = time.Unix(1614265330, 0)

func vector() http.Header {
	return http.Header{
		"Webhook-Id":        {vectorID},
		"Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {vectorSignature},
	}
}

// key makes a pair of keys of v1a from one byte.
func key(seed byte) (public string, private ed25519.PrivateKey) {
	private = ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
	return "whpk_" + base64.StdEncoding.EncodeToString(private.Public().(ed25519.PublicKey)), private
}

func signedV1a(private ed25519.PrivateKey, id string) string {
	text := fmt.Sprintf("%s.%d.%s", id, vectorTime.Unix(), vectorBody)
	return "v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte(text)))
}

func TestVerifyAccepts(t *testing.T) {
	t.Parallel()
	public, private := key('a')
	otherPublic, other := key('b')
	otherSecret := "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 24)))
	v1a := signedV1a(private, vectorID)
	for name, tc := range map[string]struct {
		secrets   []string
		signature string
		later     time.Duration
	}{
		"the vector":                 {[]string{vectorSecret}, vectorSignature, 0},
		"the old secret":             {[]string{otherSecret, vectorSecret}, vectorSignature, 0},
		"an empty secret, another":   {[]string{"", vectorSecret}, vectorSignature, 0},
		"several signatures":         {[]string{vectorSecret}, "v1,AAAA v2,x " + v1a + " " + vectorSignature, 0},
		"the largest number of them": {[]string{vectorSecret}, strings.Repeat("v1,AAAA ", 15) + vectorSignature, 0},
		"v1a":                        {[]string{public}, v1a, 0},
		"v1a, the old key":           {[]string{otherPublic, public}, signedV1a(other, "msg_2") + " " + v1a, 0},
		"v1a next to v1":             {[]string{public, otherSecret}, vectorSignature + " " + v1a, 0},
		"five minutes old":           {[]string{vectorSecret}, vectorSignature, 5 * time.Minute},
		"five minutes ahead":         {[]string{vectorSecret}, vectorSignature, -5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := vector()
			h.Set("webhook-signature", tc.signature)
			id, err := webhooksign.Verify(tc.secrets, h, []byte(vectorBody), vectorTime.Add(tc.later))
			require.NoError(t, err)
			assert.Equal(t, vectorID, id)
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	public, private := key('a')
	otherPublic, _ := key('b')
	v1a := signedV1a(private, vectorID)
	raw, _ := strings.CutPrefix(vectorSecret, "whsec_")
	emptyMAC := hmac.New(sha256.New, nil)
	fmt.Fprintf(emptyMAC, "%s.1614265330.%s", vectorID, vectorBody)
	byNoKey := "v1," + base64.StdEncoding.EncodeToString(emptyMAC.Sum(nil))
	for name, tc := range map[string]struct {
		secrets []string
		change  func(http.Header)
		body    string
		later   time.Duration
		fault   webhook.Fault
		says    string
	}{
		"no secrets":             {secrets: []string{}, fault: webhook.FaultSecret, says: "there is none"},
		"only empty secrets":     {secrets: []string{"", ""}, fault: webhook.FaultSecret, says: "there is none"},
		"no prefix":              {secrets: []string{raw}, fault: webhook.FaultSecret, says: "secret 1 of 1 must begin with whsec_ or whpk_"},
		"a private key":          {secrets: []string{"whsk_" + raw}, fault: webhook.FaultSecret, says: "must begin with"},
		"a secret without bytes": {secrets: []string{vectorSecret, "whsec_"}, change: func(h http.Header) { h.Set("webhook-signature", byNoKey) }, fault: webhook.FaultSecret, says: "secret 2 of 2 must be whsec_ and 24 to 64 bytes"},
		"a long secret":          {secrets: []string{"whsec_" + strings.Repeat("A", 88)}, fault: webhook.FaultSecret, says: "24 to 64"},
		"a secret cut off":       {secrets: []string{vectorSecret[:len(vectorSecret)-1]}, fault: webhook.FaultSecret, says: "base64"},
		"a short public key":     {secrets: []string{"whpk_" + raw}, fault: webhook.FaultSecret, says: "whpk_ and 32 bytes"},

		"no id":                 {change: func(h http.Header) { h.Del("webhook-id") }, fault: webhook.FaultHeader, says: "webhook-id 0 times"},
		"two ids":               {change: func(h http.Header) { h.Add("webhook-id", vectorID) }, fault: webhook.FaultHeader, says: "webhook-id 2 times"},
		"an empty id":           {change: func(h http.Header) { h.Set("webhook-id", "") }, fault: webhook.FaultHeader, says: "webhook-id"},
		"an id with a dot":      {change: func(h http.Header) { h.Set("webhook-id", vectorID+".1614265330") }, fault: webhook.FaultHeader, says: "dot"},
		"a long id":             {change: func(h http.Header) { h.Set("webhook-id", strings.Repeat("x", 256)) }, fault: webhook.FaultHeader, says: "255"},
		"no timestamp":          {change: func(h http.Header) { h.Del("webhook-timestamp") }, fault: webhook.FaultHeader, says: "webhook-timestamp 0 times"},
		"a timestamp in words":  {change: func(h http.Header) { h.Set("webhook-timestamp", "now") }, fault: webhook.FaultHeader, says: "seconds"},
		"a negative timestamp":  {change: func(h http.Header) { h.Set("webhook-timestamp", "-1614265330") }, fault: webhook.FaultHeader, says: "seconds"},
		"a timestamp with sign": {change: func(h http.Header) { h.Set("webhook-timestamp", "+1614265330") }, fault: webhook.FaultHeader, says: "seconds"},
		"a huge timestamp":      {change: func(h http.Header) { h.Set("webhook-timestamp", "9223372036854775807") }, fault: webhook.FaultHeader, says: "seconds"},
		"the end of time":       {change: func(h http.Header) { h.Set("webhook-timestamp", "1099511627775") }, fault: webhook.FaultTime},
		"too old":               {later: 5*time.Minute + time.Second, fault: webhook.FaultTime, says: "5m1s old"},
		"too far ahead":         {later: -5*time.Minute - time.Second, fault: webhook.FaultTime, says: "-5m1s old"},
		"no signature":          {change: func(h http.Header) { h.Del("webhook-signature") }, fault: webhook.FaultHeader, says: "webhook-signature is missing"},
		"a blank signature":     {change: func(h http.Header) { h.Set("webhook-signature", " ") }, fault: webhook.FaultHeader, says: "missing"},
		"too many signatures":   {change: func(h http.Header) { h.Set("webhook-signature", strings.Repeat("v1,AAAA ", 16)+vectorSignature) }, fault: webhook.FaultHeader, says: "16"},

		"another body":            {body: `{"test": 2432232315}`, fault: webhook.FaultSignature},
		"another id":              {change: func(h http.Header) { h.Set("webhook-id", "msg_2") }, fault: webhook.FaultSignature},
		"another time":            {change: func(h http.Header) { h.Set("webhook-timestamp", "1614265331") }, fault: webhook.FaultSignature},
		"another secret":          {secrets: []string{"whsec_" + strings.Repeat("A", 32)}, fault: webhook.FaultSignature},
		"a part of the signature": {change: func(h http.Header) { h.Set("webhook-signature", "v1,g0hM9SsE") }, fault: webhook.FaultSignature},
		"no version":              {change: func(h http.Header) { h.Set("webhook-signature", vectorSignature[3:]) }, fault: webhook.FaultSignature},
		"v1 as v1a":               {change: func(h http.Header) { h.Set("webhook-signature", "v1a"+vectorSignature[2:]) }, fault: webhook.FaultSignature},
		"v1a as v1":               {secrets: []string{public}, change: func(h http.Header) { h.Set("webhook-signature", "v1"+v1a[3:]) }, fault: webhook.FaultSignature},
		"another public key":      {secrets: []string{otherPublic}, change: func(h http.Header) { h.Set("webhook-signature", v1a) }, fault: webhook.FaultSignature},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, body := vector(), vectorBody
			if tc.change != nil {
				tc.change(h)
			}
			if tc.secrets == nil {
				tc.secrets = []string{vectorSecret}
			}
			if tc.body != "" {
				body = tc.body
			}
			_, err := webhooksign.Verify(tc.secrets, h, []byte(body), vectorTime.Add(tc.later))
			require.ErrorIs(t, err, tc.fault)
			assert.Contains(t, err.Error(), tc.says)
			assert.NotContains(t, err.Error(), raw)
		})
	}
}
