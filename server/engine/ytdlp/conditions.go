package ytdlp

import "github.com/transcriptkit/transcriptkit/transcript"

// condition is something the program complains of, in English, and what it means
// to the caller.
type condition struct {
	says    []string // phrases in lower case, with straight quotes; a complaint has all of them
	code    transcript.Code
	message string // for the caller; names no address and quotes nothing
}

// The messages of conditions with several phrases.
const (
	isGone      = "The content is not there: it was removed, or never existed."
	isPrivate   = "The content is private."
	isMembers   = "The content is for members only."
	isElsewhere = "The content is not available in this region."
	isProtected = "The content is protected against copying (DRM)."
	isAhead     = "The content is announced but not there yet."
	isNoMedia   = "There is no audio or video behind the link."
	wantsLogin  = "The platform asks for a login."
	wantsAge    = "The platform asks for a login to prove the age of the viewer."
	wantsToken  = "The platform wants a proof-of-origin token for its captions."
	wantsProof  = "The platform wants a proof-of-origin token for its media."
	isBlocked   = "The platform blocks this server at the moment."
	isLimited   = "The platform has had enough of this server's visits for up to an hour."
	isBroken    = "The platform does not deliver what its page promises."
	isSilent    = "The platform did not answer in time."
	isAway      = "The platform cannot be reached."
	leadsAway   = "The platform leads elsewhere for this content."
	isTooLarge  = "The media is larger than allowed."
	isUnsolved  = "The program yt-dlp on the server cannot run the platform's player: install a JavaScript runtime that it " +
		"supports (deno 2.3 or later, or Node.js 22 or later) and a release of yt-dlp that has its solver scripts."
	isImitated = "The platform answers browsers only, which the program yt-dlp on the server cannot imitate: " +
		"install a release of yt-dlp with curl_cffi."
)

// withheldTracks is all that hides captions alone. The media may be there.
var withheldTracks = condition{[]string{"subtitles", "po token"}, transcript.POTokenRequired, wantsToken}

// fatal are conditions of errors only: in a warning they are about something else
// than the content's page, which the program goes on without.
var fatal = []condition{
	{[]string{"http error 401"}, transcript.LoginRequired, wantsLogin},
	{[]string{"http error 404"}, transcript.Unavailable, isGone},
	{[]string{"http error 410"}, transcript.Unavailable, isGone},
	{[]string{"http error 451"}, transcript.Unavailable, isElsewhere},
}

// conditions are looked through from the top; the first whose phrases are all in
// a complaint says what it means. So what is more particular stands further up:
// a track that is not there is a broken promise, while a page that is not there
// means the content is gone. What the program says of every run that goes on
// without something (a runtime, a format) stands below what the site itself says.
// A complaint that none of them knows is UPSTREAM_FAILED.
var conditions = []condition{
	// What the page promised and the platform did not deliver.
	{[]string{"unable to download video subtitles", "did not get any data blocks"}, transcript.POTokenRequired, wantsToken},
	{[]string{"unable to download video subtitles", "downloaded file is empty"}, transcript.POTokenRequired, wantsToken},
	{[]string{"unable to download video", "http error 404"}, transcript.UpstreamFailed, isBroken},
	{[]string{"unable to download video", "http error 410"}, transcript.UpstreamFailed, isBroken},
	{[]string{"failed to download m3u8", "http error 404"}, transcript.UpstreamFailed, isBroken},
	{[]string{"failed to download mpd", "http error 404"}, transcript.UpstreamFailed, isBroken},
	{[]string{"downloaded file is empty"}, transcript.UpstreamFailed, isBroken},
	{[]string{"file:// urls are", "disabled"}, transcript.UpstreamFailed, isBroken},
	{[]string{"redirection to url", "is not allowed"}, transcript.UpstreamFailed, isBroken},
	{[]string{"file too large"}, transcript.MediaTooLarge, isTooLarge},

	// About the program's player, which the site gives for every content beside
	// words that say that it is gone.
	{[]string{"watch on the latest version"}, transcript.UpstreamFailed, isBroken},
	{[]string{"not available on this app"}, transcript.UpstreamFailed, isBroken},
	{[]string{"no longer supported in this application or device"}, transcript.UpstreamFailed, isBroken},
	{[]string{"playback on other websites has been disabled"}, transcript.UpstreamFailed, isBroken},
	{[]string{"experiment that applies drm"}, transcript.UpstreamFailed, isBroken},

	// Blocked, before the walls: the words of a bot check ask to "sign in".
	{[]string{"not a bot"}, transcript.IPBlocked, isBlocked},
	{[]string{"anti-bot"}, transcript.IPBlocked, isBlocked},
	{[]string{"captcha"}, transcript.IPBlocked, isBlocked},
	{[]string{"unusual traffic"}, transcript.IPBlocked, isBlocked},
	{[]string{"for up to an hour"}, transcript.IPBlocked, isLimited},
	{[]string{"content isn't available, try again later"}, transcript.IPBlocked, isLimited}, // the same, before the program explains it
	{[]string{"too many requests"}, transcript.IPBlocked, isBlocked},
	{[]string{"rate-limited"}, transcript.IPBlocked, isBlocked},
	{[]string{"rate limit exceeded"}, transcript.IPBlocked, isBlocked},
	{[]string{"ip address is blocked"}, transcript.IPBlocked, isBlocked},
	{[]string{"ip is likely being blocked"}, transcript.IPBlocked, isBlocked},
	{[]string{"network administrator restrictions"}, transcript.IPBlocked, isBlocked},
	{[]string{"http error 403"}, transcript.IPBlocked, isBlocked},
	{[]string{"http error 429"}, transcript.IPBlocked, isBlocked},

	// Private and members only, before the walls: their words offer a login too.
	{[]string{"private video"}, transcript.Unavailable, isPrivate},
	{[]string{"video is private"}, transcript.Unavailable, isPrivate},
	{[]string{"post is private"}, transcript.Unavailable, isPrivate},
	{[]string{"account is private"}, transcript.Unavailable, isPrivate},
	{[]string{"permission to view this"}, transcript.Unavailable, isPrivate},
	{[]string{"granted you access"}, transcript.Unavailable, isPrivate},
	{[]string{"granted access to this video"}, transcript.Unavailable, isPrivate},
	{[]string{"members-only"}, transcript.Unavailable, isMembers},
	{[]string{"music premium members"}, transcript.Unavailable, isMembers},
	{[]string{"channel's members"}, transcript.Unavailable, isMembers},
	{[]string{"join this channel"}, transcript.Unavailable, isMembers},
	{[]string{"requires payment"}, transcript.Unavailable, isMembers},

	// Walls.
	{[]string{"confirm your age"}, transcript.LoginRequired, wantsAge},
	{[]string{"age-restricted"}, transcript.LoginRequired, wantsAge},
	{[]string{"age restricted"}, transcript.LoginRequired, wantsAge},
	{[]string{"inappropriate"}, transcript.LoginRequired, wantsAge},
	{[]string{"viewer discretion"}, transcript.LoginRequired, wantsAge},
	{[]string{"nsfw tweet requires authentication"}, transcript.LoginRequired, wantsAge},
	{[]string{"only available for registered users"}, transcript.LoginRequired, wantsLogin},
	{[]string{"login required"}, transcript.LoginRequired, wantsLogin},
	{[]string{"login details are needed"}, transcript.LoginRequired, wantsLogin},
	{[]string{"need to log in"}, transcript.LoginRequired, wantsLogin},
	{[]string{"requires authentication"}, transcript.LoginRequired, wantsLogin},
	{[]string{"account authentication is required"}, transcript.LoginRequired, wantsLogin},
	{[]string{"sign in"}, transcript.LoginRequired, wantsLogin},
	{[]string{"--cookies"}, transcript.LoginRequired, wantsLogin},

	// Elsewhere, protected, gone.
	{[]string{"geo restriction"}, transcript.Unavailable, isElsewhere},
	{[]string{"geo-restricted"}, transcript.Unavailable, isElsewhere},
	{[]string{"available in your country"}, transcript.Unavailable, isElsewhere},
	{[]string{"available from your location"}, transcript.Unavailable, isElsewhere},
	{[]string{"available in your location"}, transcript.Unavailable, isElsewhere},
	{[]string{"available in your region"}, transcript.Unavailable, isElsewhere},
	{[]string{"blocked it in your country"}, transcript.Unavailable, isElsewhere},
	{[]string{"video is drm protected"}, transcript.Unavailable, isProtected},
	{[]string{"drm protection"}, transcript.Unavailable, isProtected},
	{[]string{"live event will begin"}, transcript.Unavailable, isAhead},
	{[]string{"premieres in"}, transcript.Unavailable, isAhead},
	{[]string{"premiere will begin"}, transcript.Unavailable, isAhead},
	{[]string{"processing this video"}, transcript.Unavailable, isAhead},
	{[]string{"is still being processed"}, transcript.Unavailable, isAhead},
	{[]string{"live event has ended"}, transcript.Unavailable, isAhead}, // and the recording is being made
	{[]string{"live stream recording is not available"}, transcript.Unavailable, isGone},
	{[]string{"video unavailable"}, transcript.Unavailable, isGone},
	{[]string{"video is unavailable"}, transcript.Unavailable, isGone},
	{[]string{"video is not available"}, transcript.Unavailable, isGone},
	{[]string{"video isn't available"}, transcript.Unavailable, isGone},
	{[]string{"video is no longer available"}, transcript.Unavailable, isGone},
	{[]string{"video not available"}, transcript.Unavailable, isGone},
	{[]string{"has been removed"}, transcript.Unavailable, isGone},
	{[]string{"has been deleted"}, transcript.Unavailable, isGone},
	{[]string{"has been terminated"}, transcript.Unavailable, isGone},
	{[]string{"has been suspended"}, transcript.Unavailable, isGone},
	{[]string{"closed their", "account"}, transcript.Unavailable, isGone},
	{[]string{"copyright grounds"}, transcript.Unavailable, isGone},
	{[]string{"copyright claim"}, transcript.Unavailable, isGone},
	{[]string{"video does not exist"}, transcript.Unavailable, isGone},
	{[]string{"tweet is unavailable"}, transcript.Unavailable, isGone},
	{[]string{"content isn't available"}, transcript.Unavailable, isNoMedia},
	{[]string{"content is not available"}, transcript.Unavailable, isNoMedia},

	// What the program lacks on this machine.
	{[]string{"no supported javascript runtime"}, transcript.ConfigError, isUnsolved},
	{[]string{"challenge solving failed"}, transcript.ConfigError, isUnsolved},
	{[]string{"signature solving failed"}, transcript.ConfigError, isUnsolved},
	{[]string{"challenge solver"}, transcript.ConfigError, isUnsolved},
	{[]string{"challenge request"}, transcript.ConfigError, isUnsolved},
	{[]string{"to solve js challenges"}, transcript.ConfigError, isUnsolved},
	{[]string{"signature extraction failed"}, transcript.ConfigError, isUnsolved}, // by older versions, which bring an interpreter of their own
	{[]string{"nsig extraction failed"}, transcript.ConfigError, isUnsolved},
	{[]string{"attempting impersonation"}, transcript.ConfigError, isImitated},
	{[]string{"requires browser impersonation"}, transcript.ConfigError, isImitated},
	{[]string{"impersonate target", "not available"}, transcript.ConfigError, isImitated},

	// What formats lack that cannot be had.
	{[]string{"client", "formats require a", "po token"}, transcript.POTokenRequired, wantsProof},
	{[]string{"unable to fetch", "po token"}, transcript.POTokenRequired, wantsProof},
	{[]string{"fetching po token"}, transcript.POTokenRequired, wantsProof},
	{[]string{"missing a url"}, transcript.UpstreamFailed, isBroken},
	{[]string{"sabr"}, transcript.UpstreamFailed, isBroken},
	{[]string{"skipped as they are drm protected"}, transcript.Unavailable, isProtected},
	{[]string{"drm protected and only images"}, transcript.Unavailable, isProtected},
	{[]string{"only images are available"}, transcript.UpstreamFailed, isBroken},
	{[]string{"no video formats found"}, transcript.UpstreamFailed, isBroken},
	{[]string{"failed to extract any player response"}, transcript.UpstreamFailed, isBroken},
	{[]string{"skipping player responses"}, transcript.UpstreamFailed, isBroken},
	{[]string{"incomplete data received"}, transcript.UpstreamFailed, isBroken},
	{[]string{"try again later"}, transcript.UpstreamFailed, isBroken},
	{[]string{"something went wrong"}, transcript.UpstreamFailed, isBroken},
	withheldTracks,

	// Nothing to hear.
	{[]string{"no video could be found"}, transcript.Unavailable, isNoMedia},
	{[]string{"no video in this post"}, transcript.Unavailable, isNoMedia},
	{[]string{"is not a video"}, transcript.Unavailable, isNoMedia},
	{[]string{"unsupported url: http"}, transcript.UpstreamFailed, leadsAway}, // the content's own link has been taken out
	{[]string{"unsupported url"}, transcript.Unavailable, isNoMedia},
	{[]string{"no suitable extractor"}, transcript.Unavailable, isNoMedia},
	{[]string{"is not a valid url"}, transcript.Unavailable, isNoMedia},

	// The way there.
	{[]string{"timed out"}, transcript.UpstreamFailed, isSilent},
	{[]string{"tunnel connection failed"}, transcript.UpstreamFailed, isAway}, // what the guard could not reach
	{[]string{"connection refused"}, transcript.UpstreamFailed, isAway},
	{[]string{"connection reset"}, transcript.UpstreamFailed, isAway},
	{[]string{"name or service not known"}, transcript.UpstreamFailed, isAway},
	{[]string{"name resolution"}, transcript.UpstreamFailed, isAway},
	{[]string{"unreachable"}, transcript.UpstreamFailed, isAway},
	{[]string{"http error 502"}, transcript.UpstreamFailed, isAway},
	{[]string{"http error 504"}, transcript.UpstreamFailed, isSilent},
}
