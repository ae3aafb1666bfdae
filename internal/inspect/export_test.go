package inspect

// SamplePrompt is for tests.
var SamplePrompt = (*Inspector).samplePrompt
