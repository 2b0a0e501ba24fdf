package transcript

// Sentence is for tests.
var Sentence = sentence
