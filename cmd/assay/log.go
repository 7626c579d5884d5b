package main

import (
	"context"
	"log/slog"
)

// warnings hands what the engine warns of to a person: a line each, without the
// time, the level and the attributes that a log would have.
type warnings struct{ *screen }

// Enabled lets nothing below a warning through.
func (warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle writes the line.
func (w warnings) Handle(_ context.Context, r slog.Record) error {
	w.line(span{"Warning: ", styleYellow}, plain(cleanLine(plainly(r.Message))))
	return nil
}

// WithAttrs changes nothing: attributes aren't shown.
func (w warnings) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup changes nothing: attributes aren't shown.
func (w warnings) WithGroup(string) slog.Handler { return w }
