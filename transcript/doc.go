// Package transcript is the vocabulary that the client and the server share:
// the transcript and its segments, the job that makes one, the events of that
// job, the error codes, and the rules that bind them (which state may follow
// which, which code has which status).
//
//	var job transcript.Job
//	err := json.Unmarshal(body, &job) // any 2xx answer of POST /v1/transcript or of the job's route
//	if job.Result != nil {
//		for _, s := range job.Result.Transcript.Segments {
//			fmt.Println(s.Start, s.Text)
//		}
//	}
//
// It sends nothing and stores nothing: that is for package client and the
// server. [File] alone touches the disk. Writing a transcript as text is for
// package transcript/format.
//
// Times inside a transcript are seconds from the start of the media, as
// numbers with at most three decimals. Times of day are [Time].
package transcript
