// Members of calls: @discordjs/voice, told by lines of JSON what to do, and telling what happens to them. Each member has a connection of their
// own, to a channel of their own server, should there be several.
'use strict';

const { createRequire } = require('node:module');
const readline = require('node:readline');

const load = createRequire(process.env.DISCOCLAW_NPM + '/package.json');
const { joinVoiceChannel } = load('@discordjs/voice');

const tell = (value) => process.stdout.write(JSON.stringify(value) + '\n');
const members = new Map(); // connections, by user

// join enters a channel. What Discord's main gateway would send comes with the line.
function join({ user, guild, channel, session, token, endpoint }) {
  const connection = joinVoiceChannel({
    guildId: guild,
    channelId: channel,
    group: user,
    selfDeaf: false,
    debug: Boolean(process.env.DEBUG),
    adapterCreator: (methods) => ({
      sendPayload(payload) {
        if (payload.d.channel_id) {
          setImmediate(() => {
            methods.onVoiceStateUpdate({ guild_id: guild, channel_id: channel, user_id: user, session_id: session });
            methods.onVoiceServerUpdate({ guild_id: guild, token, endpoint });
          });
        }
        return true;
      },
      destroy() {},
    }),
  });
  members.set(user, connection);
  connection.on('debug', (text) => process.stderr.write(`${user}: ${text}\n`));
  connection.on('error', (error) => tell({ event: 'error', user, text: error.message }));
  connection.on('stateChange', (_, now) => tell({ event: 'status', user, text: now.status }));
  connection.on('transitioned', () => tell({ event: 'code', user, text: connection.voicePrivacyCode ?? '' }));
  connection.receiver.ssrcMap.on('create', ({ userId }) => {
    if (!connection.receiver.subscriptions.has(userId)) {
      const heard = connection.receiver.subscribe(userId);
      heard.on('data', (frame) => tell({ event: 'heard', user, from: userId, text: frame.toString() }));
      heard.on('error', (error) => tell({ event: 'error', user, text: `hear ${userId}: ${error.message}` }));
    }
    tell({ event: 'knows', user, from: userId });
  });
}

// speak says frames of text, faster than in real life. While a connection is resumed, it waits.
function speak({ user, text, frames }) {
  let said = 0;
  const pace = setInterval(() => {
    if (members.get(user).playOpusPacket(Buffer.from(`${text} ${said}`.padEnd(40, '.')))) said++;
    if (said === frames) clearInterval(pace);
  }, 5);
}

const does = {
  join,
  speak,
  announce: ({ user }) => members.get(user).setSpeaking(true),
  leave({ user }) {
    members.get(user).destroy();
    members.delete(user);
  },
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const order = JSON.parse(line);
  does[order.do](order);
}).on('close', () => process.exit(0));
process.on('unhandledRejection', (error) => tell({ event: 'error', user: '', text: error.stack }));
process.on('uncaughtException', (error) => tell({ event: 'error', user: '', text: error.stack }));
