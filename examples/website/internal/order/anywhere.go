package order

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

// anywherePage tells how to send a link from other places to the start page.
type anywherePage struct {
	Bookmarklet template.URL // for the bookmarks of a browser
}

// anywhere shows how to come to the start page with a link filled in.
func (p orders) anywhere(r *web.Request) error {
	return r.Show(http.StatusOK, "anywhere", anywherePage{bookmarklet(p.Visitors.Origin(r.Request))})
}

// bookmarklet returns a bookmark that opens the start page of a site in another tab, with the
// address of the present page filled in. It sends nothing to be transcribed.
func bookmarklet(origin string) template.URL {
	quoted := template.JSEscapeString(origin + "/?links=")
	return template.URL("javascript:" + url.PathEscape("void open('"+quoted+"'+encodeURIComponent(location.href))")) //nolint:gosec // of a quoted address
}

// sharedLinks returns what another program shares with the start page: the links in its fields, or
// its words if there is no link. The visitor sees them in the form before anything is sent.
func (p orders) sharedLinks(shared url.Values) string {
	var words []string
	for _, name := range []string{"url", "text", "title"} {
		if value := strings.TrimSpace(shared.Get(name)); value != "" {
			words = append(words, value)
		}
	}
	all := strings.Join(words, "\n")
	if found, err := findLinks(all, p.Sites); err == nil && len(found.links) > 0 && !found.doubtful {
		return strings.Join(found.links, "\n")
	}
	return all
}

// manifest describes the site to a browser that installs it as a program, and to the system that
// shares links with installed programs.
func (p orders) manifest(r *web.Request) error {
	type icon struct {
		Src   string `json:"src"`
		Sizes string `json:"sizes"`
		Type  string `json:"type"`
	}
	icons := []icon{{"icon.svg", "any", "image/svg+xml"}, {"icon-192.png", "192x192", "image/png"}, {"icon-512.png", "512x512", "image/png"}}
	for n, i := range icons {
		var err error
		if icons[n].Src, err = p.AssetURL(i.Src); err != nil {
			return err
		}
	}
	r.W.Header().Set("Content-Type", "application/manifest+json")
	r.W.Header().Set("Cache-Control", "no-cache")
	return json.NewEncoder(r.W).Encode(map[string]any{
		"id": "/", "start_url": "/", "scope": "/", "display": "minimal-ui",
		"name": r.Text("site.name"), "short_name": r.Text("site.name"), "description": r.Text("start.lead"),
		"background_color": "#fbfbf9", "theme_color": "#2c5fd1", "icons": icons,
		"share_target": map[string]any{
			"action": "/", "method": "GET", "enctype": "application/x-www-form-urlencoded",
			"params": map[string]string{"title": "title", "text": "text", "url": "url"},
		},
	})
}
