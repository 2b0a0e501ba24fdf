package sitetest

import "net/http"

// Lures adds pages that lead to a forbidden target, each in its own way, and returns their ids
// by name. target is "host:port".
func (s *Site) Lures(target string) map[string]string {
	secret := "http://" + target + "/secret"
	lures := []struct {
		does, id string
		page     http.HandlerFunc
	}{
		{"HTTP redirect", "redirect001", http.RedirectHandler(secret, http.StatusFound).ServeHTTP},
		{"redirect to a file", "redirectfil", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		}},
		{"HLS segment", "hls-segment", playlist(secret + ".ts")},
		{"HLS file segment", "hls-file001", playlist("file:///etc/passwd", secret+".ts")},
		{"HLS key", "hls-key0001", keyed(secret + ".key")},
		{"JSON-LD contentUrl", "json-ld-url", page("Lure", `<script type="application/ld+json">{"@context": "https://schema.org", `+
			`"@type": "VideoObject", "name": "lure", "contentUrl": "`+secret+`.mp4"}</script>`)},
		{"source http", "source-http", source(secret + ".mp4")},
		{"source ftp", "source-ftp1", source("ftp://" + target + "/secret.mp4")},
		{"source file", "source-file", source("file:///etc/passwd")},
		{"source rtmp", "source-rtmp", source("rtmp://" + target + "/secret")},
		{"caption track", "track-lure1", trackPage(secret + ".vtt")},
		{"caption track rtmp", "track-rtmp1", trackPage("rtmp://" + target + "/secret/a.vtt")},
		{"caption track rtsp", "track-rtsp1", trackPage("rtsp://" + target + "/secret.vtt")},
		{"caption track ftp", "track-ftp01", trackPage("ftp://" + target + "/secret.vtt")},
		{"caption track file", "track-file1", trackPage("file:///etc/secret.vtt")},
	}
	ids := make(map[string]string, len(lures))
	for _, l := range lures {
		s.Page(l.id, l.page)
		ids[l.does] = l.id
	}
	return ids
}

func source(src string) http.HandlerFunc {
	return page("Lure", `<video><source src="`+src+`" type="video/mp4"></video>`)
}

func playlist(pieces ...string) http.HandlerFunc {
	list := "#EXTM3U\n#EXT-X-TARGETDURATION:10\n"
	for _, piece := range pieces {
		list += "#EXTINF:10,\n" + piece + "\n"
	}
	return hls(list + "#EXT-X-ENDLIST\n")
}

func keyed(key string) http.HandlerFunc {
	return hls("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-KEY:METHOD=AES-128,URI=\"" + key + "\"\n#EXTINF:10,\n/piece\n#EXT-X-ENDLIST\n")
}

func hls(list string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		send(w, "application/vnd.apple.mpegurl", list)
	}
}
