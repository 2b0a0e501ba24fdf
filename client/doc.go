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
// [TranscriptService.Get] sends the link, or uploads a [transcript.File]. If the
// service answers with a job, Get waits for the job and returns its text. To let
// another process wait, use [TranscriptService.Submit] and keep the job's id. To show
// progress, range over [JobService.Events]. [TranscriptService.Info] and
// [TranscriptService.Captions] ask about a link and start no work. [UsageService.Get]
// returns the limits of the plan and how much of each limit is left.
//
// To transcribe many links, a playlist or a channel, use a batch: [BatchService.Create]
// makes the batch, [BatchService.Wait] waits for its end, and [BatchService.Export]
// reads all texts as one [Download]. These calls need a key with the scope "batches".
//
// The account's saved transcripts are its library. [LibraryService.All] lists the
// library, and [LibraryService.AllSearch] searches the texts. [LibraryService.Get],
// [LibraryService.Download] and [LibraryService.AllChunks] read one text. These calls
// need a key with the scope "transcripts".
//
// [VideoService.AllSearch] finds videos, channels and playlists of the video site,
// [VideoService.AllUploads] and [VideoService.AllItems] list channels and playlists,
// and [VideoService.Get] describes videos. These calls work with any key.
//
// # Errors
//
// If the service answers with a status other than 2xx, the error is an [*Error],
// whatever the body is. If a job has failed or was cancelled, the error is a
// [*JobError]: the request succeeded, but the work failed. If a batch has failed, the
// error is a [*BatchError]. errors.Is compares all of them with the documented codes:
//
//	errors.Is(err, transcript.UploadInvalid)
//
// If a wait ends before its job ends, the error is a [*WaitError] with the job's id.
// For a batch, the error is a [*BatchWaitError]. The job is not lost when a deadline
// passes: if the service has not answered by then, the client takes up to 2 s more to
// ask for the job.
//
// # Retries
//
// Every POST carries an Idempotency-Key, so that a repeated request has the effect of
// one. The client repeats a request after 429, after a transient 502 or 503, and after
// a broken connection. It sends a request at most four times, with growing, jittered
// pauses, and never before the time in Retry-After. If Retry-After goes beyond the
// caller's deadline, the client returns the [*Error] at once. [WithRetry] changes the
// attempts and the pauses, [NoRetry] switches retries off, and [WithRetryNotify]
// reports each retry.
//
// A wait returns when its job or batch ends. To wait for a job, the client reads the
// job's events. To wait for a batch, it sends requests that the service holds until the
// batch ends. If neither works, the client polls with growing pauses.
//
// # Uploads
//
// The client streams files and holds no file in memory. The upload of a file of 16 MiB
// or more is resumable (draft-ietf-httpbis-resumable-upload-12): if the connection
// breaks, the client asks how many bytes the service has, and sends the rest.
// [RetryPolicy] counts only the attempts that transfer no new bytes, so a file of any
// size gets through a connection that keeps breaking. With [WithIdempotencyKey],
// another process can continue the upload by making the same call. If the service does
// not support resumable uploads, the client sends the whole file in a form.
//
// # Middleware, and the answers themselves
//
// [WithMiddleware] wraps the transport of all calls or of one call, for traces, metrics
// or headers. [WithResponse] returns the status, the headers, the rate limits and the
// raw JSON of an answer. [Response.UnknownFields] returns the members of the JSON that
// the types of this package do not have, because the service is newer. To receive
// webhooks, check each request with [VerifyWebhook].
//
// FEATURES.md compares the package with other packages.
//
// The package reads no environment variable, keeps no global state, and logs only with
// [WithLogger].
package client
