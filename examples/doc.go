// Package examples holds a sample corpus, questions about it, and the test that
// asks them. The outcomes stand in outcomes.golden, so that a change of quality
// shows in a diff.
package examples
