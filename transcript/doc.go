// Package transcript has the types that the client and the server share: the transcript
// and its segments, the job that makes a transcript, the events of the job, and the
// error codes with their HTTP statuses.
//
//	var job transcript.Job
//	err := json.Unmarshal(body, &job) // any 2xx answer of POST /v1/transcript or of the job's route
//	if job.Result != nil {
//		for _, s := range job.Result.Transcript.Segments {
//			fmt.Println(s.Start, s.Text)
//		}
//	}
//
// The package sends nothing and stores nothing: use package client for requests. Only
// [File] reads from the disk. Package transcript/format writes a transcript as text.
//
// Times inside a transcript are seconds from the start of the media, as numbers with at
// most three decimals. Dates are of the type [Time].
package transcript
