package library

// Import is a file with a transcript, to be saved in the library.
type Import struct {
	Name    string         // the name of the file, from which a new text gets its title; empty if it has none
	Format  DownloadFormat // TXT, SRT, VTT, SBV, ASS, Podcast or Whisper
	Content []byte         // the file, of at most 8 MiB
	// Revision is the revision of the text that the file replaces; 0 if the library has
	// no such text.
	Revision int
}
