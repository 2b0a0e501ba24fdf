package ytdlp

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// condition maps a complaint of the program, in English, to its meaning for the caller.
type condition struct {
	says  []string // phrases in lower case, with straight quotes; a complaint has all of them
	means refusal.Refusal
}

// The refusals that only the program reports.
var (
	protected = refusal.Refusal{Code: transcript.Unavailable, Message: "The content is protected against copying (DRM)."}
	// The program says these words with a reason, or without one for a reason that it does not
	// know.
	notShown    = refusal.Refusal{Code: transcript.Unavailable, Message: refusal.Gone.Message, NotFound: true}
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

// withheldTracks is the only condition that hides captions but not the media.
var withheldTracks = condition{[]string{"subtitles", "po token"}, refusal.CaptionToken}

// fatal are conditions for errors only. In a warning, these phrases concern something other
// than the content's page, and the program continues without it.
var fatal = []condition{
	{[]string{"http error 401"}, refusal.Login},
	{[]string{"http error 404"}, refusal.Gone},
	{[]string{"http error 410"}, refusal.Gone},
	{[]string{"http error 451"}, refusal.Elsewhere},
}

// conditions are checked from the top; the first condition whose phrases all occur in a
// complaint gives its meaning. Special conditions therefore come before general ones: a
// missing track is a broken promise, while a missing page means that the content is gone.
// Complaints that every run makes if something is missing (a runtime, a format) come after
// the site's own messages. A complaint that matches no condition is UPSTREAM_FAILED.
var conditions = slices.Concat(ofSite, ofMachine, ofMedia, ofAnswers)

// ofCaptions are the conditions that may hide captions: all conditions except those that
// concern only the media. Conditions of failed pages apply only to warnings.
var ofCaptions = slices.Concat(ofSite, ofMachine, ofAnswers, ofPages)

// ofSite are the site's own messages.
var ofSite = []condition{
	// The page promises something that the platform does not deliver.
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

	// The site rejects the program's player for every content, with words that also say that
	// the content is gone.
	{[]string{"watch on the latest version"}, undelivered},
	{[]string{"not available on this app"}, undelivered},
	{[]string{"no longer supported in this application or device"}, undelivered},
	{[]string{"playback on other websites has been disabled"}, undelivered},
	{[]string{"experiment that applies drm"}, undelivered},

	// Blocked, before the logins, because the words of a bot check ask to "sign in".
	{[]string{"not a bot"}, refusal.Blocked},
	{[]string{"anti-bot"}, refusal.Blocked},
	{[]string{"captcha"}, refusal.Blocked},
	{[]string{"unusual traffic"}, refusal.Blocked},
	{[]string{"for up to an hour"}, refusal.Limited},
	{[]string{"content isn't available, try again later"}, refusal.Limited}, // the same message, before the program explains it
	{[]string{"too many requests"}, refusal.Blocked},
	{[]string{"rate-limited"}, refusal.Blocked},
	{[]string{"rate limit exceeded"}, refusal.Blocked},
	{[]string{"ip address is blocked"}, refusal.Blocked},
	{[]string{"ip is likely being blocked"}, refusal.Blocked},
	{[]string{"skipping player response"}, refusal.Blocked}, // the site answers one of the players with another content
	{[]string{"network administrator restrictions"}, refusal.Blocked},
	{[]string{"http error 403"}, refusal.Blocked},
	{[]string{"http error 429"}, refusal.Blocked},

	// Private and members only, before the logins, because their words offer a login too.
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
	{[]string{"account cookies are no longer valid"}, refusal.Login},
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
	{[]string{"access to this webpage has been blocked"}, refusal.Elsewhere}, // by a government, or by a filter in the network
	{[]string{"blocked it in your country"}, refusal.Elsewhere},
	{[]string{"is drm protected"}, protected},
	{[]string{"drm protection"}, protected},
	{[]string{"live event will begin"}, refusal.Upcoming},
	{[]string{"premieres in"}, refusal.Upcoming},
	{[]string{"premiere will begin"}, refusal.Upcoming},
	{[]string{"processing this video"}, refusal.Upcoming},
	{[]string{"is still being processed"}, refusal.Upcoming},
	{[]string{"live event has ended"}, refusal.Upcoming}, // and the recording is not ready yet
	{[]string{"live stream recording is not available"}, refusal.Gone},
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
	{[]string{"video unavailable"}, notShown},
	{[]string{"content isn't available"}, noMedia},
	{[]string{"content is not available"}, noMedia},
}

// ofMachine are complaints about software that is missing on this machine. Without it the
// program asks fewer players.
var ofMachine = []condition{
	{[]string{"no supported javascript runtime"}, noRuntime},
}

// ofMedia are the reasons why formats are not available. They say nothing about captions: a
// site that only accepts browsers refuses the page, and the program reports that too.
var ofMedia = []condition{
	{[]string{"attempting impersonation"}, noImitation},
	{[]string{"requires browser impersonation"}, noImitation},
	{[]string{"impersonate target", "not available"}, noImitation},
	{[]string{"challenge solving failed"}, noRuntime},
	{[]string{"signature solving failed"}, noRuntime},
	{[]string{"challenge solver"}, noRuntime},
	{[]string{"challenge request"}, noRuntime},
	{[]string{"to solve js challenges"}, noRuntime},
	{[]string{"signature extraction failed"}, noRuntime}, // by older versions, which include their own interpreter
	{[]string{"nsig extraction failed"}, noRuntime},
	{[]string{"nsig function"}, noRuntime},
	{[]string{"signature function"}, noRuntime},
	{[]string{"js challenge provider"}, noRuntime},
	{[]string{"invalid js challenge"}, noRuntime},
	{[]string{"decrypt nsig"}, undelivered}, // the site does not name its player
	{[]string{"load player for js challenge"}, undelivered},
	{[]string{"client", "formats require a", "po token"}, refusal.MediaToken},
	{[]string{"unable to fetch", "po token"}, refusal.MediaToken},
	{[]string{"fetching po token"}, refusal.MediaToken},
	{[]string{"invalid po token"}, refusal.MediaToken},
	{[]string{"missing a url"}, undelivered},
	{[]string{"sabr"}, undelivered},
	{[]string{"skipped as they are drm protected"}, protected},
	{[]string{"drm protected and only images"}, protected},
	{[]string{"only images are available"}, undelivered},
	{[]string{"no video formats found"}, undelivered},
}

// ofPages are complaints about pages and answers that could not be fetched and may
// contain captions.
var ofPages = []condition{
	{[]string{"unable to download api page"}, undelivered},
	{[]string{"unable to download webpage"}, undelivered},
	{[]string{"unable to download json"}, undelivered},
	{[]string{refusing}, refusal.Blocked}, // without the site's own words; with them, another condition matches
}

// ofAnswers are complaints about unreadable answers and about the connection.
var ofAnswers = []condition{
	{[]string{"failed to extract any player response"}, undelivered},
	{[]string{"incomplete data received"}, undelivered},
	{[]string{"try again later"}, undelivered},
	{[]string{"something went wrong"}, undelivered},
	{[]string{"ignoring subtitle tracks found"}, undelivered}, // the program knows of captions that it does not read
	withheldTracks,

	// There is no recording.
	{[]string{"no video could be found"}, noMedia},
	{[]string{"no video in this post"}, noMedia},
	{[]string{"is not a video"}, noMedia},
	{[]string{"unsupported url: http"}, leadsAway}, // the content's own link has been removed from the text
	{[]string{"unsupported url"}, noMedia},
	{[]string{"no suitable extractor"}, noMedia},
	{[]string{"is not a valid url"}, noMedia},

	// The connection failed.
	{[]string{"timed out"}, timedOut},
	{[]string{"tunnel connection failed"}, unreachable}, // the guard could not reach the address
	{[]string{"connection refused"}, unreachable},
	{[]string{"connection reset"}, unreachable},
	{[]string{"name or service not known"}, unreachable},
	{[]string{"name resolution"}, unreachable},
	{[]string{"unreachable"}, unreachable},
	{[]string{"http error 502"}, unreachable},
	{[]string{"http error 504"}, timedOut},
}
