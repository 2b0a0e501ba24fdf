package db

// Classified is what every error of the database goes through.
var Classified = classified

// Quiet is the logger that the queue gets.
var Quiet = quiet
