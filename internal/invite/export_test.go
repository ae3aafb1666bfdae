package invite

// BotNeeds is for tests.
var BotNeeds = botNeeds

// NoApplication is for tests.
const NoApplication = noApplication
