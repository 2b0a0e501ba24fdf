package ytdlp

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Access are further ways to content whose platform refuses the plain way. No run of the plain way
// uses any of them. The zero value: there are none.
//
// After PO_TOKEN_REQUIRED or IP_BLOCKED a further run of the same visit uses Plugins and
// TokenProvider. After LOGIN_REQUIRED or IP_BLOCKED another run also uses Cookies, if the caller
// sets [engine.Content.Login]. All these runs use ExtractorArgs. With ExtractorArgs a further run
// also follows UPSTREAM_FAILED and LOGIN_REQUIRED. If each way fails, the error is that of the
// plain way. Lists and searches use no cookies.
type Access struct {
	// Plugins is a folder of plugins of yt-dlp, an absolute path. Each plugin is a folder in it, as
	// "NAME/yt_dlp_plugins/extractor/….py". Plugins run within the confinement of yt-dlp.
	// Nothing in the folder may be writable for everybody. Empty: none.
	Plugins string
	// TokenProvider is the address of the server of the plugin bgutil-ytdlp-pot-provider, as
	// "http://127.0.0.1:4416". Only runs with Plugins reach the server, each by a password of its
	// own. The server gets the proxy of the run, and so leaves by the same exit, if the server
	// runs in the network of this service. nil: no server.
	TokenProvider *url.URL
	// ExtractorArgs are values of the option --extractor-args of yt-dlp, as
	// "youtube:player_client=tv". Values of one extractor are joined; the later argument counts.
	ExtractorArgs []string
	// Cookies are logins, one for each platform. A platform may ban the account of the cookies.
	Cookies map[transcript.Platform]Cookies
}

// Cookies are the login of the operator's account at a platform.
type Cookies struct {
	// File holds cookies in the Netscape format. It must not be readable for everybody. Each run
	// reads the file and gets a copy, so that the file never changes.
	File string
	// Hosts are the hosts of the platform, as "www.example.com". Cookies of other hosts are left
	// out of the copy. At least one cookie must be for one of the hosts.
	Hosts []string
}

// check returns an error that names the wrong field.
func (a Access) check() error {
	if a.Plugins != "" {
		if err := checkPlugins(a.Plugins); err != nil {
			return fmt.Errorf("ytdlp: Access.Plugins: %w", err)
		}
	}
	if at := a.TokenProvider; at != nil {
		switch {
		case a.Plugins == "":
			return errors.New("ytdlp: Access.TokenProvider: needs Plugins, a folder with the plugin that asks the provider")
		case at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || strings.Trim(at.RequestURI(), "/") != "" || at.Fragment != "":
			return errors.New("ytdlp: Access.TokenProvider: want http://HOST:PORT and no more")
		}
	}
	for _, args := range a.ExtractorArgs {
		if err := a.checkExtractorArgs(args); err != nil {
			return fmt.Errorf("ytdlp: Access.ExtractorArgs: %w", err)
		}
	}
	for platform, c := range a.Cookies {
		if _, err := ReadCookies(c); err != nil {
			return fmt.Errorf("ytdlp: Access.Cookies: %s: %w", platform, err)
		}
	}
	return nil
}
