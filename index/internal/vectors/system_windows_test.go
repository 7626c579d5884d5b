package vectors

// systemChildren are tasks of a child process that need this system.
var systemChildren map[string]func(path string) error
