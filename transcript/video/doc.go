// Package video has the types of discovery: the results of a search on the video site,
// its videos, channels and playlists.
//
// A field is nil if the service could not learn its value, never a made-up zero: some
// ways to ask the site do not tell everything.
package video
