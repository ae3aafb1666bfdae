package invite

// BotNeeds is for tests.
var BotNeeds = botNeeds
