// Package honesty compares what readers of captions answer if the video site refuses: this
// service, its adapter of yt-dlp alone, yt-dlp itself, and libraries of others. It contains only
// tests. server/HONESTY.md has the answers.
package honesty
