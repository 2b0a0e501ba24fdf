package enginetest

import (
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// unplayable are the player's reasons for showing nothing.
var unplayable = []Condition{
	{Name: "bot check", Codes: blocked, Blocks: true, says: refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "")},
	{Name: "rate limit", Codes: blocked, Blocks: true, says: refuses("UNPLAYABLE", "Video unavailable", "This content isn’t available, try again later.")},
	{Name: "login wall", Codes: login, Blocks: true, says: refuses("LOGIN_REQUIRED", "Please sign in", "")},
	{Name: "age wall", Codes: login, Blocks: true, says: refuses("LOGIN_REQUIRED", "Sign in to confirm your age", "This video may be inappropriate for some users.")},
	{Name: "members only", Codes: unavailable, Blocks: true, says: refuses("UNPLAYABLE", "Join this channel to get access to members-only content like this video, and other exclusive perks.", "")},
	{Name: "private", Codes: unavailable, Blocks: true, says: refuses("LOGIN_REQUIRED", "Private video", "Sign in if you've been granted access to this video")},
	{Name: "removed", Codes: unavailable, says: refuses("ERROR", "Video unavailable", "This video has been removed by the uploader")},
	{Name: "never there", Codes: unavailable, says: refuses("ERROR", "This video is unavailable", "")},
	{Name: "geo-block", Codes: unavailable, Blocks: true, says: refuses("UNPLAYABLE", "Video unavailable", "The uploader has not made this video available in your country")},
	{Name: "bot check beside formats", Codes: blocked, Blocks: true, says: keeping("streamingData", refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", ""))},
	{Name: "bot check beside pictures", Codes: blocked, Blocks: true, says: withPictures(refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", ""))},
	{Name: "captcha of the player", Codes: append(blocked[:1:1], unavailable...), Blocks: true, says: wantCaptcha},
	{Name: "rate limit beside pictures", Codes: blocked, Blocks: true, says: withPictures(refuses("ERROR", "Video unavailable", "This content isn’t available, try again later."))},
	{Name: "restricted network", Codes: blocked, Blocks: true, says: refuses("ERROR", "Video unavailable", "This video is restricted. Please check the Google Workspace administrator and/or the network administrator restrictions.")},
	{Name: "age check", Codes: login, Blocks: true, says: refuses("AGE_CHECK_REQUIRED", "This video is age-restricted and only available on YouTube", "")},
	{Name: "content check", Codes: login, Blocks: true, says: refuses("CONTENT_CHECK_REQUIRED", "The following content has been identified by the community as inappropriate or offensive to some audiences.", "")},
	{Name: "music members only", Codes: unavailable, Blocks: true, says: refuses("UNPLAYABLE", "Video unavailable", "This video is only available to Music Premium members")},
	{Name: "to be paid", Codes: unavailable, Blocks: true, says: refuses("UNPLAYABLE", "This video requires payment to watch.", "")},
	{Name: "claimed", Codes: unavailable, says: refuses("ERROR", "Video unavailable", "This video is no longer available due to a copyright claim by Example")},
	{Name: "closed account", Codes: unavailable, says: refuses("ERROR", "Video unavailable", "This video is no longer available because the YouTube account associated with this video has been terminated.")},
	{Name: "not begun", Codes: unavailable, Blocks: true, says: refuses("LIVE_STREAM_OFFLINE", "This live event will begin in 3 hours.", "")},
	{Name: "premiere", Codes: unavailable, Blocks: true, says: refuses("LIVE_STREAM_OFFLINE", "Premieres in 42 minutes", "")},
	{Name: "being broadcast", Codes: unavailable, Blocks: true, says: goesOnAir},
	{Name: "being processed", Codes: unavailable, Blocks: true, says: refuses("UNPLAYABLE", "We're processing this video. Check back later.", "")},
	{Name: "out of order", Codes: upstream, Blocks: true, says: refuses("ERROR", "An error occurred. Please try again later.", "")},
	{Name: "outdated player", Codes: upstream, Blocks: true, says: outdated},
	{Name: "no verdict", Codes: upstream, Blocks: true, says: func(_ *Site, said object) { clear(said) }},
}

// ofPlayers are conditions that not every player meets.
var ofPlayers = []Condition{
	{Name: "outdated player, except in the page", Codes: upstream, Blocks: true, Avoidable: true, to: apps, says: outdated},
	{Name: "bot check, except in the page", Codes: blocked, Blocks: true, Avoidable: true, to: apps, says: refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "")},
	{Name: "bot check, in the page alone", Codes: blocked, Blocks: true, Avoidable: true, to: inPage, says: refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "")},
	{Name: "another content", Codes: append(blocked[:1:1], upstream...), Blocks: true, says: another},
	{Name: "another content, except in the page", Codes: append(blocked[:1:1], upstream...), Blocks: true, Avoidable: true, to: apps, says: another},
	{Name: "formats without an address", Tracks: siteTracks, says: onlySABR},
	{Name: "formats without an address, and no tracks", says: func(s *Site, said object) {
		onlySABR(s, said)
		noTracks(s, said)
	}},
	{Name: "formats behind a puzzle", Tracks: siteTracks, says: puzzle},
	{Name: "error object (player)", Codes: upstream, Avoidable: true, at: player, does: failedPrecondition},
	{Name: "null (player)", Codes: upstream, Blocks: true, Avoidable: true, at: player, does: null},
	{Name: "cut object (player)", Codes: upstream, Blocks: true, Avoidable: true, at: player, does: cutText},
}

// apps and inPage select the player in the page of a content, and all other players.
func apps(client string) bool   { return client != pagePlayer }
func inPage(client string) bool { return client == pagePlayer }

// pagePlayer is the name of the player in the pages of the site.
const pagePlayer = "WEB"

// silent are conditions in which the player shows the content and names no tracks, while the
// player's answer in the page contradicts that: the missing tracks then prove nothing.
var silent = []Condition{
	silentBeside("a page with a bot check", blocked, refuses("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "")),
	silentBeside("a page with a rate limit", blocked, refuses("UNPLAYABLE", "Video unavailable", "This content isn’t available, try again later.")),
	silentBeside("a page with a login wall", login, refuses("LOGIN_REQUIRED", "Please sign in", "")),
	silentBeside("a page with tracks without an address", upstream, func(_ *Site, said object) {
		eachTrack(said, func(string) string { return "" })
	}),
	silentBeside("a page with tracks that want a token", token, wantToken),
	avoidable(silentBeside("a page with tracks", upstream, func(*Site, object) {})),
}

// avoidable returns a condition in which a source may find all tracks in another way.
func avoidable(c Condition) Condition {
	c.Avoidable = true
	return c
}

// silentBeside returns a condition in which the player names no tracks, while the answer in the
// page is changed by change.
func silentBeside(name string, codes []transcript.Code, change func(*Site, object)) Condition {
	return Condition{
		Name: "no tracks beside " + name, Codes: codes, Blocks: true,
		says: noTracks,
		at:   page,
		does: func(s *Site, w http.ResponseWriter, r *http.Request, _ answer) {
			page := s.fake
			page.PlayerApart, page.Says = false, func(_ string, said object) { change(s, said) }
			page.Handler().ServeHTTP(w, r)
		},
	}
}

func noTracks(_ *Site, said object) { delete(said, "captions") }

func refuses(status, reason, subreason string) func(*Site, object) {
	return func(_ *Site, said object) {
		said["playabilityStatus"] = object{"status": status, "reason": reason, "errorScreen": object{
			"playerErrorMessageRenderer": object{
				"reason":    object{"simpleText": reason},
				"subreason": object{"runs": []object{{"text": subreason}}},
			},
		}}
		delete(said, "captions")
		delete(said, "streamingData")
	}
}

// keeping returns a change that keeps a member of the player's answer.
func keeping(member string, change func(*Site, object)) func(*Site, object) {
	return func(s *Site, said object) {
		kept := said[member]
		change(s, said)
		said[member] = kept
	}
}

// withPictures returns a change that adds the pictures of places in a video.
func withPictures(change func(*Site, object)) func(*Site, object) {
	return func(s *Site, said object) {
		change(s, said)
		said["storyboards"] = object{"playerStoryboardSpecRenderer": object{
			"spec": s.URL + "/sb/$L/$N.jpg|48#27#100#10#10#0#default#sigh",
		}}
	}
}

func wantCaptcha(s *Site, said object) {
	refuses("UNPLAYABLE", "Video unavailable", "")(s, said)
	said["playabilityStatus"].(object)["errorScreen"] = object{"playerCaptchaViewModel": object{"title": "Confirm"}}
}

func outdated(s *Site, said object) {
	refuses("ERROR", "This video is unavailable", "Watch on the latest version of YouTube.")(s, said)
}

func goesOnAir(_ *Site, said object) {
	details := said["videoDetails"].(object)
	details["isLive"], details["isLiveContent"] = true, true
}

// another is an answer about another video.
func another(_ *Site, said object) {
	said["videoDetails"].(object)["videoId"] = otherContent
	eachTrack(said, func(address string) string { return inQuestion.ReplaceAllString(address, otherContent) })
}

// otherContent is the id of the first content.
const otherContent = "content-000"

// onlySABR leaves formats that no program can request by an address.
func onlySABR(s *Site, said object) {
	data := said["streamingData"].(object)
	for _, f := range data["formats"].([]object) {
		delete(f, "url")
	}
	data["adaptiveFormats"], data["serverAbrStreamingUrl"] = data["formats"], s.URL+"/videoplayback?sabr=1"
	delete(data, "formats")
}

func puzzle(_ *Site, said object) {
	for _, f := range said["streamingData"].(object)["formats"].([]object) {
		f["url"] = f["url"].(string) + "?n=" + sitetest.Puzzle
	}
}

// eachTrack changes the addresses of the tracks.
func eachTrack(said object, change func(address string) string) {
	list := said["captions"].(object)["playerCaptionsTracklistRenderer"].(object)
	for _, t := range list["captionTracks"].([]object) {
		t["baseUrl"] = change(t["baseUrl"].(string))
	}
}

func wantToken(_ *Site, said object) {
	eachTrack(said, func(address string) string { return address + "&exp=xpe" })
}

func leadAway(s *Site, said object) {
	eachTrack(said, func(address string) string {
		return "http://" + s.private.Addr().String() + strings.TrimPrefix(address, s.URL)
	})
}
