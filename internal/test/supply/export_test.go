package supply

// Systems is for tests.
var Systems = systems
