package videosite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// visit is one call's session with the site, with the cookies of that call.
type visit struct {
	*Route
	ctx  context.Context //nolint:containedctx // a visit lives as long as one call
	http http.Client
}

func (r *Route) visit(ctx context.Context) (*visit, error) {
	// Without a list of public suffixes a site could set cookies for all of ".com". That is
	// harmless here, because the visit sends requests to no other site.
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("videosite: %w", err)
	}
	v := &visit{Route: r, ctx: ctx, http: *r.http}
	v.http.Jar, v.http.CheckRedirect = jar, r.checkRedirect
	return v, nil
}

var (
	apiKey   = regexp.MustCompile(`(?:"|&quot;)INNERTUBE_API_KEY(?:"|&quot;)\s*:\s*(?:"|&quot;)([\w-]+)`)
	inputTag = regexp.MustCompile(`<input\b[^>]*>`)
	nameV    = regexp.MustCompile(`\bname="v"`)
	value    = regexp.MustCompile(`\bvalue="([^"]*)"`)
)

// page fetches the page of a video. If the site asks for consent, page gives it once.
func (v *visit) page(id string) ([]byte, error) {
	link := v.link("/watch", url.Values{"v": {id}})
	page, err := v.get(pageRequest, Player{}, link)
	if err != nil {
		return nil, err
	}
	if v.asksConsent(page) {
		if !v.consentTo(page) {
			return nil, broken("The platform's consent page cannot be understood.")
		}
		if page, err = v.get(pageRequest, Player{}, link); err != nil {
			return nil, err
		}
		if v.asksConsent(page) {
			return nil, broken("The platform asks for consent again and again.")
		}
	}
	return page, nil
}

// playerKey returns the key to the player from a page.
func playerKey(page []byte) (string, error) {
	if m := apiKey.FindSubmatch(page); m != nil {
		return string(m[1]), nil
	}
	return "", misread(page, errors.New("no key to the player in the page"))
}

func (v *visit) asksConsent(page []byte) bool {
	return bytes.Contains(page, []byte(`action="`+v.consent.String()+`"`))
}

// consentTo sets the cookie that the form on the consent page would set. It reports whether the
// page contains the form.
func (v *visit) consentTo(page []byte) bool {
	for _, input := range inputTag.FindAll(page, -1) {
		m := value.FindSubmatch(input)
		if !nameV.Match(input) || m == nil {
			continue
		}
		v.http.Jar.SetCookies(v.base, []*http.Cookie{{Name: "CONSENT", Value: "YES+" + html.UnescapeString(string(m[1])), Path: "/"}})
		return true
	}
	return false
}

// ask asks a player about a video.
func (v *visit) ask(p Player, q question) (*player.Answer, error) {
	data, err := p.question(q.id)
	if err != nil {
		return nil, fmt.Errorf("videosite: %w", err)
	}
	body, err := v.post(p, v.link("/youtubei/v1/player", url.Values{"key": {q.key}}), data)
	if err != nil {
		return nil, err
	}
	said := new(player.Answer)
	if err := json.Unmarshal(body, said); err != nil {
		return nil, misread(body, err)
	}
	return said, nil
}

// track fetches a track of a video as a player, from the address that the player named, and
// reads it.
func (v *visit) track(p Player, id string, t track) (caption.File, error) {
	address := t.address
	u, err := v.base.Parse(address)
	switch {
	case err != nil || address == "":
		return caption.File{}, broken("The platform's address of these captions cannot be read.").Because(err)
	case u.Scheme != v.base.Scheme || u.Host != v.base.Host || u.User != nil:
		return caption.File{}, broken("The platform leads elsewhere for these captions.").Because(fmt.Errorf("videosite: to host %q", u.Host))
	}
	if player.WantsToken(address) {
		return caption.File{}, refusal.CaptionToken.Because(nil)
	}
	if err := player.CheckAddress(address, id, t.key); err != nil {
		return caption.File{}, err
	}
	q := u.Query()
	q.Set("fmt", "json3")
	q.Del("xosf") // it makes the site send positions among the text
	u.RawQuery = q.Encode()
	body, err := v.get(trackRequest, p, u)
	if err != nil {
		return caption.File{}, err
	}
	text, err := caption.ReadJSON3(caption.Until(v.ctx, bytes.NewReader(body)))
	switch {
	case v.ctx.Err() != nil:
		return caption.File{}, context.Cause(v.ctx)
	case err != nil:
		return caption.File{}, misread(body, err)
	}
	return text, nil
}

// misread is the error for an answer of an unexpected form: a captcha, or an unknown page.
func misread(body []byte, why error) *transcript.Error {
	if bytes.Contains(body, []byte(`class="g-recaptcha"`)) {
		return refusal.Blocked.Because(errors.New("videosite: a captcha"))
	}
	return broken("The platform's answer cannot be understood.").Because(fmt.Errorf("videosite: %w", why))
}

// link returns an address of the site.
func (r *Route) link(path string, query url.Values) *url.URL {
	return &url.URL{Scheme: r.base.Scheme, Host: r.base.Host, Path: path, RawQuery: query.Encode()}
}
