package sitetest

import (
	"net/http"
	"slices"
)

// playerPath is the path of the player's script. A program that runs JavaScript fetches the
// script to solve its puzzles.
const playerPath = "/s/player/0a1b2c3d/player_ias.vflset/en_US/base.js"

// Puzzle is the value that the link of a puzzling format has, and Solved is the value with which
// the site delivers the media.
const (
	Puzzle = "abcDEF123456-_9"
	Solved = "9_-654321FEDcba"
)

// playerScript has the form of the site's player: a function that builds a link and reverses
// its own value "n".
const playerScript = `(function() {
	function Link() { this.values = {}; }
	Link.prototype.set = function(name, value) { this.values[name] = value; };
	Link.prototype.get = function(name) { return this.values[name]; };
	Link.prototype.clone = function() { return this; };
	Link.prototype.solve = function() { this.values.n = turned(this.values.n); };
	function turned(text) { return text ? text.split("").reverse().join("") : text; }
	function link(address, name, signature) {
		var made = new Link();
		made.set("alr", "yes");
		if (signature) { made.set(name, turned(decodeURIComponent(signature))); }
		return made;
	}
}).call(this);
`

func sendPlayer(w http.ResponseWriter, _ *http.Request) {
	send(w, "text/javascript; charset=utf-8", playerScript)
}

// embedded sends the page of a player on another site.
func embedded(w http.ResponseWriter, _ *http.Request) { sendPage(w, object{"contents": object{}}, nil) }

// media sends a video to a program that has solved the puzzle.
func (s Pages) media(w http.ResponseWriter, r *http.Request) {
	n := r.URL.Query()["n"]
	if s.Media == "" || s.Puzzling && !slices.Equal(n, []string{Solved}) {
		http.Error(w, "the puzzle is not solved", http.StatusForbidden)
		return
	}
	http.ServeFile(w, r, s.Media)
}
