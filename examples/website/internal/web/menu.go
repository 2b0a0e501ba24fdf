package web

import (
	"slices"
	"strings"
)

// entry is a link of the menu, with the key of its text.
type entry struct {
	Path, Key string
	Within    []entry // of a section, whose path is that of its first page
	Current   string  // aria-current: "page", "true" within a section or for a page below, or empty
}

// The sections of the menu.
var (
	textsEntry   = entry{Path: "/library", Key: "nav.texts"}
	sourcesEntry = entry{Path: "/batches", Key: "nav.sources", Within: []entry{
		{Path: "/batches", Key: "nav.batches"}, {Path: "/follows", Key: "nav.follows"}, {Path: "/discover", Key: "nav.discover"},
	}}
	settingsEntry = entry{Path: "/usage", Key: "nav.settings", Within: []entry{
		{Path: "/usage", Key: "nav.usage"}, {Path: "/keys", Key: "nav.keys"}, {Path: "/webhooks", Key: "nav.webhooks"},
		{Path: "/feed", Key: "nav.feed"}, {Path: "/account", Key: "nav.account"},
	}}
	docsEntry  = entry{Path: "/docs", Key: "nav.docs"}
	adminEntry = entry{Path: "/admin", Key: "nav.admin", Within: []entry{
		{Path: "/admin", Key: "admin.overview"}, {Path: "/admin/accounts", Key: "admin.accounts"}, {Path: "/admin/jobs", Key: "admin.jobs"},
		{Path: "/admin/doctor", Key: "admin.doctor"}, {Path: "/admin/log", Key: "admin.log"},
	}}
	signEntry = entry{Path: SignInPath, Key: "sign.in"}
)

// Menu returns the links of the menu for the visitor, at most five.
func (v view) Menu() []entry {
	switch {
	case !v.Visitor.Known():
		return v.at(docsEntry, signEntry)
	case v.Visitor.Single:
		settings := settingsEntry
		settings.Within = settings.Within[:len(settings.Within)-1] // without a sign-in there is no page of an account
		return v.at(textsEntry, sourcesEntry, settings, docsEntry)
	case v.Visitor.Admin:
		return v.at(textsEntry, sourcesEntry, settingsEntry, adminEntry, docsEntry)
	}
	return v.at(textsEntry, sourcesEntry, settingsEntry, docsEntry)
}

// at returns entries that say which of them is the page.
func (v view) at(entries ...entry) []entry {
	own := func(e entry) bool { return e.Path == v.Path || e.Path == textsEntry.Path && v.Path == "/" }
	for i, e := range entries {
		within := v.at(slices.Clone(e.Within)...)
		entries[i].Within = within
		switch {
		case own(e) && within == nil:
			entries[i].Current = "page"
		case slices.ContainsFunc(within, func(e entry) bool { return e.Current != "" }),
			within == nil && strings.HasPrefix(v.Path, e.Path+"/") && e.Path != adminEntry.Path:
			entries[i].Current = "true"
		}
	}
	return entries
}
