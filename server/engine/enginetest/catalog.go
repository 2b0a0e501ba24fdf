package enginetest

import "github.com/transcriptkit/transcriptkit/internal/sitetest"

// Catalog is the content of the site with which an [engine.Discovery] is tested. Nothing else
// exists on the site. A test's fake of the site serves the catalog in the site's own format.
//
// Base is the address of the site, and Videos, Channels and Playlists are on it. The methods
// Video, Channel and Playlist look one up by its id. Uploads and Search return what a channel or
// a search shows.
type Catalog = sitetest.Catalog

// CatalogVideo is a public video: a [video.Video], and Broadcast if it is being broadcast, or
// was. The site does not show fields that are nil.
type CatalogVideo = sitetest.Video

// CatalogChannel is a [video.Channel], and Uploads, the ids of its uploads, newest first.
type CatalogChannel = sitetest.Channel

// CatalogPlaylist is a [video.Playlist], and Entries, the ids of its entries; an id may occur
// twice. Entries without a video in the catalog were removed, except for [PrivateVideo]. Only
// the owner can see a playlist with Private set.
type CatalogPlaylist = sitetest.Playlist

// PrivateVideo is the id of a video that only its owner can see. It is not in the catalog.
const PrivateVideo = sitetest.PrivateVideo
