//go:build !linux

package service

// checkout returns "": make setup installs no yt-dlp on these systems.
func checkout() string { return "" }

func trusted(string) bool { return false }
