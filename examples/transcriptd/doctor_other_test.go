//go:build !linux

package main

func prepareProgram() {}
