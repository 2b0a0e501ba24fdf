// Package video has the words of discovery: what is found on the video site, its videos,
// channels and playlists.
//
// What the service could not learn of one of them is nil, never a made-up zero: not every
// way to ask the site tells everything.
package video
