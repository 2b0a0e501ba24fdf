// Package client is the Go SDK of the transcript service.
//
//	c, err := client.New("https://transcripts.example", client.WithAPIKey(key))
//	if err != nil {
//		return err
//	}
//	link := transcript.URL("https://youtu.be/dQw4w9WgXcQ")
//	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: link})
//	if err != nil {
//		return err
//	}
//	for _, s := range result.Transcript.Segments {
//		fmt.Printf("%7.2f %s\n", s.Start, s.Text)
//	}
//
// [TranscriptService.Get] sends the link, or uploads a [transcript.File], waits
// for the job that the service may make of it, and returns the text when the job ends. To hand the
// waiting to someone else, use [TranscriptService.Submit] and keep the job's id; to
// show progress, range over [JobService.Events]. [TranscriptService.Info] and
// [TranscriptService.Captions] ask about a link and start no work. [UsageService.Get]
// tells what the plan includes and what is left of it.
//
// Many links, a playlist or a channel are a batch: [BatchService.Create] makes it,
// [BatchService.Wait] waits for its end, and [BatchService.Export] reads all its texts as
// one [Download]. What the account has saved is in its library: [LibraryService.All] lists
// it, [LibraryService.AllSearch] finds what is said in it, [LibraryService.Get],
// [LibraryService.Download] and [LibraryService.AllChunks] read one text. Keys need the
// scope "batches" for the one, and "transcripts" for the other.
//
// [VideoService.AllSearch] finds videos, channels and playlists of the video site,
// [VideoService.AllUploads] and [VideoService.AllItems] list channels and playlists, and
// [VideoService.Get] describes videos. Any key will do.
//
// # Errors
//
// An answer other than 2xx is an [*Error], whatever its body looks like. A job
// that failed or was cancelled is a [*JobError]: the request went well, the work
// did not; of a batch it is a [*BatchError]. All are matched by the documented code:
//
//	errors.Is(err, transcript.UploadInvalid)
//
// A wait that ended before its job did is a [*WaitError], which carries the
// job's id, so that nothing is lost when a deadline passes; of a batch it is a
// [*BatchWaitError].
//
// # Retries
//
// Every POST carries an Idempotency-Key, so that a repeated request does
// nothing twice. Requests are repeated by the service's own rule:
// after 429, after a 502 or 503 that may pass, and after a broken connection,
// four times in all, with growing and jittered pauses, never earlier than
// Retry-After says. A Retry-After beyond the caller's deadline is not waited for:
// the [*Error] is returned at once. [WithRetry] changes this, [NoRetry] switches it
// off, and [WithRetryNotify] tells of each pause.
//
// A wait returns when its job or batch ends. It follows events, or has its questions
// held by the service, and asks in growing pauses where neither can be had.
//
// The package reads no environment variable, keeps no global state, and logs
// nothing unless [WithLogger] says so.
package client
