// Takes discord.js through its course, from the login to a resumed session.
'use strict';

const { walk } = require('./course.js');

async function main() {
  const state = {};
  for (const part of ['login', 'guild', 'messages', 'threads', 'members', 'channels', 'interactions', 'events', 'resume']) {
    await walk(require(`./${part}.js`), state);
  }
  process.exit(0); // whatever still waits
}

process.on('unhandledRejection', (error) => {
  process.stderr.write(`not handled: ${error.stack}\n`);
});
main();
