package ytdlp

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Access has means to read content that the platform refuses to a plain run. A plain
// run is one without any of these means. The zero value has none.
//
// If the plain run returns PO_TOKEN_REQUIRED or IP_BLOCKED, a second run of the same
// visit uses Plugins and TokenProvider. After LOGIN_REQUIRED or IP_BLOCKED, another run
// also uses Cookies, if the caller sets engine.Content.Login. All these runs use
// ExtractorArgs. If ExtractorArgs is set, there is a second run after UPSTREAM_FAILED
// and LOGIN_REQUIRED too. If all runs fail, the error is that of the plain run. Lists
// and searches use no cookies.
type Access struct {
	// Plugins is a folder of plugins of yt-dlp, an absolute path. Each plugin is a
	// folder in it, as "NAME/yt_dlp_plugins/extractor/….py". Plugins run within the
	// confinement of yt-dlp. Nothing in the folder may be writable for everyone. Empty
	// means no plugins.
	Plugins string
	// TokenProvider is the address of the server of the plugin
	// bgutil-ytdlp-pot-provider, as "http://127.0.0.1:4416". Only runs with Plugins can
	// reach the server, each with a password of its own. If the server runs in the
	// network of this service, it uses the proxy of the run, and so the same exit. nil
	// means no server.
	TokenProvider *url.URL
	// ExtractorArgs are values of the option --extractor-args of yt-dlp, as
	// "youtube:player_client=tv". Values for one extractor are joined; of two values
	// for the same argument, the later one applies. Runs in which this package selects
	// a player keep that player.
	ExtractorArgs []string
	// Cookies are logins, one for each platform. A platform may ban the account of the cookies.
	Cookies map[transcript.Platform]Cookies
}

// Cookies are the login of the operator's account at a platform.
type Cookies struct {
	// File is the path of a file of cookies in the Netscape format. It must not be
	// readable for everyone. Each run works with a copy, so that the file never
	// changes.
	File string
	// Hosts are the hosts of the platform, such as "www.example.com". Cookies of other
	// hosts are left out. At least one cookie must be for one of the hosts.
	Hosts []string
}

// AccessError is an error about a wrong field of [Access].
type AccessError struct {
	Field string // "Plugins", "TokenProvider", "ExtractorArgs" or "Cookies"
	Err   error  // holds no secret
}

// Error names the field and the fault.
func (e *AccessError) Error() string { return "ytdlp: Access." + e.Field + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *AccessError) Unwrap() error { return e.Err }

// Check returns an [*AccessError] if a field is wrong. New calls it.
func (a Access) Check() error {
	if a.Plugins != "" {
		if err := checkPlugins(a.Plugins); err != nil {
			return &AccessError{"Plugins", err}
		}
	}
	if at := a.TokenProvider; at != nil {
		switch {
		case a.Plugins == "":
			return &AccessError{"TokenProvider", errors.New("name the folder of the plugin that asks the provider too")}
		case at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || strings.Trim(at.RequestURI(), "/") != "" || at.Fragment != "":
			return &AccessError{"TokenProvider", errors.New("want http://HOST:PORT and no more")}
		}
	}
	for _, args := range a.ExtractorArgs {
		if err := a.checkExtractorArgs(args); err != nil {
			return &AccessError{"ExtractorArgs", err}
		}
	}
	for _, platform := range slices.Sorted(maps.Keys(a.Cookies)) {
		if _, err := ReadCookies(a.Cookies[platform]); err != nil {
			return &AccessError{"Cookies", fmt.Errorf("%s: %w", platform, err)}
		}
	}
	return nil
}
