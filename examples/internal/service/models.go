package service

import "github.com/transcriptkit/transcriptkit/server/engine/models"

// ModelsFlag is the flag for the folder of models.
type ModelsFlag struct {
	Models string `default:"${models}" placeholder:"DIR" help:"Where pulled models are (${default})."`
	// Table lists the models that can be pulled; nil means the table of package models.
	Table []models.Entry `kong:"-"`
}
