// Package indextest is the suite that every index passes, embedded or remote:
//
//	func TestSuite(t *testing.T) {
//		indextest.Run(t, func(t *testing.T) indextest.Store { return openEmpty(t) })
//	}
//
// An index that finds passages by vectors too passes [RunHybrid] besides, with the
// package's own [Embedder], which needs no model.
package indextest
