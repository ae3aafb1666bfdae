package play_test

// small is a server on which nothing has happened yet, for tests that count what is there.
const small = `
guild Playground: #general #random
category Work: #ops news:announcement help:forum tasks:forum crons:forum
tag bug in tasks
bot DiscoClaw
member you: owner
member sam
stranger zed
deny #ops sam: Send Messages
-1m you in #ops: The new release is out. Thanks, everybody!
`
