package service

import "github.com/alecthomas/kong"

// first are the flags of a program that runs the service that most people need, in the order of the
// help.
func first() []string {
	return []string{"db", "listen", "blobs", "plans", "trusted-proxy", "metrics", "asr", "pull", "links", "recognizers"}
}

// Groups puts the flags of commands that run the service into groups of their help.
func Groups(k *kong.Kong) error {
	groups := map[string]string{
		"models": "Links and speech:", "yt-dlp": "Links and speech:", "allow-egress": "Links and speech:", "direct-media": "Links and speech:", "trust-webhooks": "Links and speech:",
		"role": "The process:", "full-sync": "The process:", "drain-delay": "The process:", "log-format": "The process:",
	}
	for _, name := range first() {
		groups[name] = "Start here:"
	}
	for _, node := range k.Model.Leaves(false) {
		if !runsService(node) {
			continue
		}
		for _, flag := range node.Flags {
			if title := groups[flag.Name]; title != "" {
				flag.Group = &kong.Group{Key: title, Title: title}
			}
		}
	}
	return nil
}

// runsService reports whether a command has the flags of [Flags].
func runsService(node *kong.Node) bool {
	found := 0
	for _, flag := range node.Flags {
		if flag.Name == "listen" || flag.Name == "links" {
			found++
		}
	}
	return found == 2
}
