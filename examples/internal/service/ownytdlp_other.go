//go:build !linux

package service

// checkout returns "": make setup installs no yt-dlp on these systems.
func checkout() string { return "" }

// ownYtDlp returns "".
func ownYtDlp() string { return "" }
