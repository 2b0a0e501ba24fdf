package ytdlp

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// condition is something the program complains of, in English, and what it means
// to the caller.
type condition struct {
	says  []string // phrases in lower case, with straight quotes; a complaint has all of them
	means refusal.Refusal
}

// What only the program complains of.
var (
	protected   = refusal.Refusal{Code: transcript.Unavailable, Message: "The content is protected against copying (DRM)."}
	noMedia     = refusal.Refusal{Code: transcript.Unavailable, Message: "There is no audio or video behind the link.", NotFound: true}
	undelivered = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform does not deliver what its page promises."}
	timedOut    = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform did not answer in time."}
	unreachable = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform cannot be reached."}
	leadsAway   = refusal.Refusal{Code: transcript.UpstreamFailed, Message: "The platform leads elsewhere for this content."}
	oversized   = refusal.Refusal{Code: transcript.MediaTooLarge, Message: "The media is larger than allowed."}
	noTab       = refusal.Refusal{Code: transcript.Unavailable, Message: "The channel has nothing of this kind."}
	noRuntime   = refusal.Refusal{Code: transcript.ConfigError, Message: "The program yt-dlp on the server cannot run the platform's player: " + getRuntime + "; " + getProgram + "."}
	noImitation = refusal.Refusal{Code: transcript.ConfigError, Message: "The platform answers browsers only, which the program yt-dlp on the server cannot imitate: " + getProgram + "."}
)

// withheldTracks is all that hides captions alone. The media may be there.
var withheldTracks = condition{[]string{"subtitles", "po token"}, refusal.CaptionToken}

// fatal are conditions of errors only: in a warning they are about something else
// than the content's page, which the program goes on without.
var fatal = []condition{
	{[]string{"http error 401"}, refusal.Login},
	{[]string{"http error 404"}, refusal.Gone},
	{[]string{"http error 410"}, refusal.Gone},
	{[]string{"http error 451"}, refusal.Elsewhere},
}

// conditions are looked through from the top; the first whose phrases are all in
// a complaint says what it means. So what is more particular stands further up:
// a track that is not there is a broken promise, while a page that is not there
// means the content is gone. What the program says of every run that goes on
// without something (a runtime, a format) stands below what the site itself says.
// A complaint that none of them knows is UPSTREAM_FAILED.
var conditions = slices.Concat(ofSite, ofMachine, ofMedia, ofAnswers)

// ofCaptions are the conditions that may hide captions: all but those of the media alone.
// Those of pages that could not be had count in warnings only.
var ofCaptions = slices.Concat(ofSite, ofMachine, ofAnswers, ofPages)

// ofSite is what the site says.
var ofSite = []condition{
	// What the page promised and the platform did not deliver.
	{[]string{"unable to download video subtitles", "did not get any data blocks"}, refusal.CaptionToken},
	{[]string{"unable to download video subtitles", "downloaded file is empty"}, refusal.CaptionToken},
	{[]string{"unable to download video", "http error 404"}, undelivered},
	{[]string{"unable to download video", "http error 410"}, undelivered},
	{[]string{"failed to download m3u8", "http error 404"}, undelivered},
	{[]string{"failed to download mpd", "http error 404"}, undelivered},
	{[]string{"downloaded file is empty"}, undelivered},
	{[]string{"file:// urls are", "disabled"}, undelivered},
	{[]string{"redirection to url", "is not allowed"}, undelivered},
	{[]string{"file too large"}, oversized},

	// About the program's player, which the site gives for every content beside
	// words that say that it is gone.
	{[]string{"watch on the latest version"}, undelivered},
	{[]string{"not available on this app"}, undelivered},
	{[]string{"no longer supported in this application or device"}, undelivered},
	{[]string{"playback on other websites has been disabled"}, undelivered},
	{[]string{"experiment that applies drm"}, undelivered},

	// Blocked, before the walls: the words of a bot check ask to "sign in".
	{[]string{"not a bot"}, refusal.Blocked},
	{[]string{"anti-bot"}, refusal.Blocked},
	{[]string{"captcha"}, refusal.Blocked},
	{[]string{"unusual traffic"}, refusal.Blocked},
	{[]string{"for up to an hour"}, refusal.Limited},
	{[]string{"content isn't available, try again later"}, refusal.Limited}, // the same, before the program explains it
	{[]string{"too many requests"}, refusal.Blocked},
	{[]string{"rate-limited"}, refusal.Blocked},
	{[]string{"rate limit exceeded"}, refusal.Blocked},
	{[]string{"ip address is blocked"}, refusal.Blocked},
	{[]string{"ip is likely being blocked"}, refusal.Blocked},
	{[]string{"skipping player responses"}, refusal.Blocked}, // the site shows one of the players another content
	{[]string{"network administrator restrictions"}, refusal.Blocked},
	{[]string{"http error 403"}, refusal.Blocked},
	{[]string{"http error 429"}, refusal.Blocked},

	// Private and members only, before the walls: their words offer a login too.
	{[]string{"private video"}, refusal.Private},
	{[]string{"video is private"}, refusal.Private},
	{[]string{"post is private"}, refusal.Private},
	{[]string{"account is private"}, refusal.Private},
	{[]string{"playlist is private"}, refusal.Private},
	{[]string{"permission to view this"}, refusal.Private},
	{[]string{"granted you access"}, refusal.Private},
	{[]string{"granted access to this video"}, refusal.Private},
	{[]string{"members-only"}, refusal.Members},
	{[]string{"music premium members"}, refusal.Members},
	{[]string{"channel's members"}, refusal.Members},
	{[]string{"join this channel"}, refusal.Members},
	{[]string{"requires payment"}, refusal.Members},

	// Walls.
	{[]string{"confirm your age"}, refusal.Age},
	{[]string{"age-restricted"}, refusal.Age},
	{[]string{"age restricted"}, refusal.Age},
	{[]string{"inappropriate"}, refusal.Age},
	{[]string{"viewer discretion"}, refusal.Age},
	{[]string{"nsfw tweet requires authentication"}, refusal.Age},
	{[]string{"only available for registered users"}, refusal.Login},
	{[]string{"login required"}, refusal.Login},
	{[]string{"login details are needed"}, refusal.Login},
	{[]string{"need to log in"}, refusal.Login},
	{[]string{"requires authentication"}, refusal.Login},
	{[]string{"account authentication is required"}, refusal.Login},
	{[]string{"sign in"}, refusal.Login},
	{[]string{"--cookies"}, refusal.Login},

	// Elsewhere, protected, gone.
	{[]string{"geo restriction"}, refusal.Elsewhere},
	{[]string{"geo-restricted"}, refusal.Elsewhere},
	{[]string{"available in your country"}, refusal.Elsewhere},
	{[]string{"available from your location"}, refusal.Elsewhere},
	{[]string{"available in your location"}, refusal.Elsewhere},
	{[]string{"available in your region"}, refusal.Elsewhere},
	{[]string{"blocked it in your country"}, refusal.Elsewhere},
	{[]string{"video is drm protected"}, protected},
	{[]string{"drm protection"}, protected},
	{[]string{"live event will begin"}, refusal.Upcoming},
	{[]string{"premieres in"}, refusal.Upcoming},
	{[]string{"premiere will begin"}, refusal.Upcoming},
	{[]string{"processing this video"}, refusal.Upcoming},
	{[]string{"is still being processed"}, refusal.Upcoming},
	{[]string{"live event has ended"}, refusal.Upcoming}, // and the recording is being made
	{[]string{"live stream recording is not available"}, refusal.Gone},
	{[]string{"video unavailable"}, refusal.Gone},
	{[]string{"video is unavailable"}, refusal.Gone},
	{[]string{"video is not available"}, refusal.Gone},
	{[]string{"video isn't available"}, refusal.Gone},
	{[]string{"video is no longer available"}, refusal.Gone},
	{[]string{"video not available"}, refusal.Gone},
	{[]string{"has been removed"}, refusal.Gone},
	{[]string{"has been deleted"}, refusal.Gone},
	{[]string{"has been terminated"}, refusal.Gone},
	{[]string{"has been suspended"}, refusal.Gone},
	{[]string{"closed their", "account"}, refusal.Gone},
	{[]string{"copyright grounds"}, refusal.Gone},
	{[]string{"copyright claim"}, refusal.Gone},
	{[]string{"video does not exist"}, refusal.Gone},
	{[]string{"playlist does not exist"}, refusal.Gone},
	{[]string{"channel does not exist"}, refusal.Gone},
	{[]string{"channel is not available"}, refusal.Gone},
	{[]string{"playlist type is unviewable"}, refusal.Gone},
	{[]string{"channel has no uploads"}, refusal.Gone},
	{[]string{"channel does not have a", " tab"}, noTab},
	{[]string{"tweet is unavailable"}, refusal.Gone},
	{[]string{"content isn't available"}, noMedia},
	{[]string{"content is not available"}, noMedia},
}

// ofMachine is what the program lacks on this machine. Without it the program asks fewer
// players.
var ofMachine = []condition{
	{[]string{"no supported javascript runtime"}, noRuntime},
}

// ofMedia is what the formats lack that cannot be had. It tells nothing of captions: a site
// that wants browsers alone refuses the page, and the program complains of that too.
var ofMedia = []condition{
	{[]string{"attempting impersonation"}, noImitation},
	{[]string{"requires browser impersonation"}, noImitation},
	{[]string{"impersonate target", "not available"}, noImitation},
	{[]string{"challenge solving failed"}, noRuntime},
	{[]string{"signature solving failed"}, noRuntime},
	{[]string{"challenge solver"}, noRuntime},
	{[]string{"challenge request"}, noRuntime},
	{[]string{"to solve js challenges"}, noRuntime},
	{[]string{"signature extraction failed"}, noRuntime}, // by older versions, which bring an interpreter of their own
	{[]string{"nsig extraction failed"}, noRuntime},
	{[]string{"client", "formats require a", "po token"}, refusal.MediaToken},
	{[]string{"unable to fetch", "po token"}, refusal.MediaToken},
	{[]string{"fetching po token"}, refusal.MediaToken},
	{[]string{"missing a url"}, undelivered},
	{[]string{"sabr"}, undelivered},
	{[]string{"skipped as they are drm protected"}, protected},
	{[]string{"drm protected and only images"}, protected},
	{[]string{"only images are available"}, undelivered},
	{[]string{"no video formats found"}, undelivered},
}

// ofPages are pages and answers that could not be had, in which captions may stand.
var ofPages = []condition{
	{[]string{"unable to download api page"}, undelivered},
	{[]string{"unable to download webpage"}, undelivered},
	{[]string{"unable to download json"}, undelivered},
	{[]string{refusing}, refusal.Blocked}, // without a word of the site: with one, it is another condition
}

// ofAnswers is what the program makes of what it has read, and of the way there.
var ofAnswers = []condition{
	{[]string{"failed to extract any player response"}, undelivered},
	{[]string{"incomplete data received"}, undelivered},
	{[]string{"try again later"}, undelivered},
	{[]string{"something went wrong"}, undelivered},
	withheldTracks,

	// Nothing to hear.
	{[]string{"no video could be found"}, noMedia},
	{[]string{"no video in this post"}, noMedia},
	{[]string{"is not a video"}, noMedia},
	{[]string{"unsupported url: http"}, leadsAway}, // the content's own link has been taken out
	{[]string{"unsupported url"}, noMedia},
	{[]string{"no suitable extractor"}, noMedia},
	{[]string{"is not a valid url"}, noMedia},

	// The way there.
	{[]string{"timed out"}, timedOut},
	{[]string{"tunnel connection failed"}, unreachable}, // what the guard could not reach
	{[]string{"connection refused"}, unreachable},
	{[]string{"connection reset"}, unreachable},
	{[]string{"name or service not known"}, unreachable},
	{[]string{"name resolution"}, unreachable},
	{[]string{"unreachable"}, unreachable},
	{[]string{"http error 502"}, unreachable},
	{[]string{"http error 504"}, timedOut},
}
