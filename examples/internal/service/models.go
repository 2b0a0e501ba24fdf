package service

import "github.com/transcriptkit/transcriptkit/server/engine/models"

// ModelsFlag is the flag that says where models are.
type ModelsFlag struct {
	Models string `default:"${models}" placeholder:"DIR" help:"Where pulled models are (${default})."`
	// Table are the models that can be pulled; nil: those of package models.
	Table []models.Entry `kong:"-"`
}
