package chunk

// Sentence is for tests.
var Sentence = sentence
