// Command assay answers questions from documents, checks its own answers, and
// says so when it can't answer.
//
// [main] hands the arguments and the surroundings (an env) to run, which parses
// them with the grammar of cli.go and runs one subcommand. Each subcommand has a
// file of its own (those of "assay index" begin with index). What they share:
//
//   - places.go: where an index lies, and which one a command means
//   - wire.go: opening an index, indexing a folder, building an engine
//   - settings.go: what flags, environment and files set, and which counts
//   - models.go, remote.go, unnamed.go, idle.go: the language models that they name, the
//     endpoints behind them and their keys, and models that nothing would ask
//   - spending.go, estimate.go: what models may cost, and what an answer may at the worst
//   - examine.go: what "assay doctor" tries on an endpoint
//   - calibration.go, labels.go: calibrations in use, and files of labels
//   - labelling.go, labelbook.go: the screen of "assay label", and its file
//   - encoder.go, embed.go, remote_sense.go: what finds meanings, and making the vectors for it
//   - screen.go, clean.go: writing for a person, so that nothing hostile in a
//     document reaches the terminal
//   - answer.go, stream.go, trace.go, json.go: the forms of an answer
//   - streams.go, log.go: what goes in and out, and the engine's warnings
//   - fault.go: an error in two lines, and the exit code
//   - progress.go, complete.go: progress bars and shell completion
//
// Flags, files, the environment and the terminal are read here and nowhere else.
package main
