package service

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// accessFlags configure further ways to content whose platform refuses the plain way.
type accessFlags struct {
	YtDlpPlugins       pluginFolder    `name:"yt-dlp-plugins" placeholder:"FOLDER" help:"A folder of plugins for yt-dlp, one folder a plugin, which yt-dlp loads after a platform has refused. Default: no plugins."`
	TokenProvider      serviceURL      `name:"token-provider" placeholder:"URL" help:"The server of the plugin bgutil-ytdlp-pot-provider, as http://127.0.0.1:4416, which is asked for tokens after PO_TOKEN_REQUIRED or IP_BLOCKED. Default: none."`
	YtDlpExtractorArgs []string        `name:"yt-dlp-extractor-args" sep:"none" placeholder:"IE_KEY:ARGS" help:"A value of the option --extractor-args of yt-dlp, used after a platform has refused. May be repeated."`
	Cookies            []cookiesOption `name:"cookies" sep:"none" placeholder:"PLATFORM=FILE" help:"Cookies of an account of yours at a platform, such as video_site=cookies.txt, used after LOGIN_REQUIRED or IP_BLOCKED. The platform may ban the account. May be repeated. Default: no login anywhere."`
}

// access returns the ways for the platforms of a table.
func (f accessFlags) access(sites *site.Table) ytdlp.Access {
	a := ytdlp.Access{Plugins: string(f.YtDlpPlugins), ExtractorArgs: f.YtDlpExtractorArgs}
	if f.TokenProvider.at != nil {
		a.TokenProvider = &url.URL{Scheme: f.TokenProvider.at.Scheme, Host: f.TokenProvider.at.Host}
	}
	for _, c := range f.Cookies {
		if a.Cookies == nil {
			a.Cookies = make(map[transcript.Platform]ytdlp.Cookies)
		}
		at, _ := sites.Site(c.platform) // check has seen the platform
		hosts := slices.Clone(at.Hosts)
		if base, err := url.Parse(at.Base); err == nil && base.Host != "" {
			hosts = append([]string{base.Host}, hosts...)
		}
		a.Cookies[c.platform] = ytdlp.Cookies{File: c.file, Hosts: hosts}
	}
	return a
}

// addresses returns the address of the token provider, which no link may reach.
func (f accessFlags) addresses() []string {
	if f.TokenProvider.at == nil {
		return nil
	}
	return []string{f.TokenProvider.address()}
}

// flagsOfAccess are the flags behind the fields of Access.
func flagsOfAccess(field string) string {
	return map[string]string{
		"Plugins": "--yt-dlp-plugins", "TokenProvider": "--token-provider", "ExtractorArgs": "--yt-dlp-extractor-args", "Cookies": "--cookies",
	}[field]
}

// check refuses wrong flags, for the platforms of a table.
func (f accessFlags) check(sites *site.Table) error {
	if at := f.TokenProvider.at; at != nil && (at.User != nil || strings.Trim(at.RequestURI(), "/") != "" || at.Fragment != "") {
		return &FlagError{"--token-provider", errors.New("want http://HOST:PORT and no more")}
	}
	var named []transcript.Platform
	for _, c := range f.Cookies {
		if _, known := sites.Site(c.platform); !known {
			return &FlagError{"--cookies", fmt.Errorf("%q is no platform with links: name one as video_site=FILE", string(c.platform))}
		}
		if slices.Contains(named, c.platform) {
			return &FlagError{"--cookies", fmt.Errorf("%s is named twice: name one file for each platform", c.platform)}
		}
		named = append(named, c.platform)
	}
	var wrong *ytdlp.AccessError
	if err := f.access(sites).Check(); errors.As(err, &wrong) {
		return &FlagError{flagsOfAccess(wrong.Field), wrong.Err}
	}
	return nil
}

// pluginFolder is a folder, whose path is made absolute.
type pluginFolder string

// UnmarshalText is called by the parser.
func (p *pluginFolder) UnmarshalText(text []byte) error {
	path, err := filepath.Abs(string(text))
	*p = pluginFolder(path)
	return err
}

// cookiesOption is a file of cookies for a platform.
type cookiesOption struct {
	platform transcript.Platform
	file     string
}

// UnmarshalText is called by the parser.
func (c *cookiesOption) UnmarshalText(text []byte) error {
	platform, file, ok := strings.Cut(string(text), "=")
	if !ok || platform == "" || file == "" {
		return errors.New("want PLATFORM=FILE, such as video_site=cookies.txt")
	}
	path, err := filepath.Abs(file)
	*c = cookiesOption{transcript.Platform(platform), path}
	return err
}
