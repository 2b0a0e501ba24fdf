package intake

// UploadTitle is tested by itself.
var UploadTitle = uploadTitle
