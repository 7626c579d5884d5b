// Package plain puts what went wrong into words for people: [Words] and [Error] say
// it without the terms of Go and of its libraries, [Cut] and [Line] keep it short.
package plain
