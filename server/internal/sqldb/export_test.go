package sqldb

// Classified is what every error of the database goes through.
var Classified = classified
