package text

import "strings"

// IsHeading tells whether a line of Markdown is a heading: one to six # and a space, at
// its very beginning.
func IsHeading(line string) bool {
	marks := len(line) - len(strings.TrimLeft(line, "#"))
	return 1 <= marks && marks <= 6 && len(line) > marks && line[marks] == ' '
}

// Fence is what a line of Markdown begins with that opens or closes a block of code,
// ``` or ~~~, and "" where it begins with neither.
func Fence(line string) string {
	for _, fence := range [...]string{"```", "~~~"} {
		if strings.HasPrefix(line, fence) {
			return fence
		}
	}
	return ""
}
