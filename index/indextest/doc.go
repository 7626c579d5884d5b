// Package indextest is the suite that every index passes, embedded or remote:
//
//	func TestSuite(t *testing.T) {
//		indextest.Run(t, func(t *testing.T) indextest.Store { return openEmpty(t) })
//	}
package indextest
