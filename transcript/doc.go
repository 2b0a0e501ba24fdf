// Package transcript is the common vocabulary of the client and the server: the
// transcript and its segments, the job that makes a transcript, the events of the job,
// and the error codes. The package also has their rules: the allowed order of states,
// and the status of each code.
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
