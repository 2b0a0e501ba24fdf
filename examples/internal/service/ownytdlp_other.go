//go:build !linux

package service

// OwnYtDlp returns "yt-dlp": make setup installs none of its own on these systems.
func OwnYtDlp() string { return "yt-dlp" }
