// Package video has the types of discovery: the results of a search on the video site,
// its videos, channels and playlists.
//
// A field is nil if the service could not find out its value, because some interfaces
// of the site do not return everything.
package video
