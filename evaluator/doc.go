// Package evaluator judges, checks, answers, rewrites and routes without a model
// to call: no key, no network, no service.
package evaluator
