// Begins a session, and looks at what comes with it.
'use strict';

const zlib = require('node:zlib');
const { discord, load, world, is, until, emits, apart } = require('./course.js');
const { Client, Events, GatewayIntentBits, ActivityType, Partials } = discord;

const intents = Object.values(GatewayIntentBits).filter((bit) => typeof bit === 'number');

// newClient is a client whose API is the fake's.
const newClient = (more = {}) =>
  new Client({
    intents,
    partials: Object.values(Partials).filter((kind) => typeof kind === 'number'),
    rest: { api: process.env.FAKE_API, retries: 0, timeout: 5000 },
    ...more,
  });

// identified starts a session without discord.js, and returns it with what answers IDENTIFY.
async function identified(intents) {
  const { WebSocket } = load('ws');
  const ws = new WebSocket(process.env.FAKE_API.replace('http', 'ws').replace('/api', '/gateway') + '?v=10&encoding=json');
  const [, answer] = await new Promise((resolve, reject) => {
    const heard = [];
    ws.on('error', reject);
    ws.on('message', (data) => {
      heard.push(JSON.parse(data));
      if (heard.length === 1) ws.send(JSON.stringify({ op: 2, d: { token: process.env.FAKE_TOKEN, intents, properties: {} } }));
      if (heard.length === 2) resolve(heard);
    });
  });
  return { ws, answer };
}

// closesWith logs in with what Discord closes the connection for.
async function closesWith(code, more) {
  const client = newClient(more);
  client.on(Events.Error, () => {});
  const [event] = await emits(client, Events.ShardDisconnect, async () => {
    client.login(process.env.FAKE_TOKEN).catch(() => {});
  });
  is('the close code', event.code, code);
  await client.destroy();
}

module.exports = [
  ['a login with a wrong token', async () => {
    const client = newClient();
    try {
      await client.login('wrong');
    } catch (error) {
      return is('the trouble', error.code, 'TokenInvalid');
    } finally {
      await client.destroy();
    }
    throw new Error('it was not refused');
  }],
  ['a login with intents that there are not', () => closesWith(4013, { intents: 1 << 30 })],
  ['a login as a shard that cannot be', () => closesWith(4010, { shards: [2], shardCount: 2 })],
  ['a login', async (s) => {
    s.client = newClient();
    s.client.on(Events.Error, () => {});
    const [client] = await apart(() => emits(s.client, Events.ClientReady, () => s.client.login(process.env.FAKE_TOKEN)));
    is('the user', client.user.username, 'DiscoClaw');
  }],
  ['a session that is started too soon', async () => {
    const { ws, answer } = await identified(1);
    ws.close(1000);
    is('the answer', answer.op, 9);
    is('resumable', answer.d, false);
  }],
  ['the servers in its cache', async (s) => {
    s.guild = s.client.guilds.cache.find((guild) => guild.name === 'disco');
    is('servers', s.client.guilds.cache.size, 2);
    is('members', s.guild.memberCount, 5);
    is('available', s.guild.available, true);
  }],
  ['the channels in its cache', async (s) => {
    s.general = s.guild.channels.cache.find((channel) => channel.name === 'general');
    is('channels', s.guild.channels.cache.size, 10);
    is('text', s.general.isTextBased(), true);
  }],
  ['the roles in its cache', async (s) => is('roles', s.guild.roles.cache.size, 4)],
  ['oneself in the cache', async (s) => is('it', s.guild.members.me.id, await world('user', 'bot'))],
  ['its application', async (s) => {
    const app = await s.client.application.fetch();
    is('its name', app.name, 'DiscoClaw');
  }],
  ['a heartbeat', async (s) => {
    await world('inject', 'heartbeat'); // otherwise the first one comes when chance has it
    await until('an answer', async () => s.client.ws.ping >= 0, true);
  }],
  ['a game', async (s) => {
    s.client.user.setActivity('chess');
    await until('the activity', () => world('presence'), 'online chess');
  }],
  ['a presence', async (s) => {
    s.client.user.setPresence({ status: 'dnd', activities: [{ name: 'work', type: ActivityType.Watching }] });
    await until('the presence', () => world('presence'), 'dnd work');
  }],
  ['all members over the gateway', async (s) => is('members', (await s.guild.members.fetch()).size, 5)],
  ['members by name over the gateway', async (s) => {
    const found = await s.guild.members.fetch({ query: 'bo', limit: 5 });
    is('members', found.map((member) => member.user.username).join(), 'bob');
  }],
  ['members by ID over the gateway', async (s) => {
    const found = await s.guild.members.fetch({ user: [await world('user', 'ada'), await world('user', 'eve')] });
    is('members', found.size, 2);
  }],
  ['members with presences over the gateway', async (s) => is('members', (await s.guild.members.fetch({ withPresences: true })).size, 5)],
  ['soundboards over the gateway', async (s) => {
    const all = await s.client.guilds.fetchSoundboardSounds({ guildIds: [s.guild.id] });
    is('servers', all.size, 1);
    is('sounds', all.first().size, 0);
  }],
  ['a session for each of two shards', async () => {
    const client = newClient({ shards: [0, 1], shardCount: 2 });
    client.on(Events.Error, () => {});
    // They identify five seconds apart.
    await apart(() => Promise.all([emits(client, Events.ShardReady, () => {}, (id) => id === 1), client.login(process.env.FAKE_TOKEN)]));
    is('servers', client.guilds.cache.size, 2);
    await client.destroy();
  }],
  ['a gateway that is one stream of zlib', async () => {
    const { WebSocket } = load('ws');
    const ws = new WebSocket(process.env.FAKE_API.replace('http', 'ws').replace('/api', '/gateway') + '?v=10&encoding=json&compress=zlib-stream');
    const inflate = zlib.createInflate();
    let text = '';
    inflate.on('data', (piece) => (text += piece));
    ws.on('message', (data) => {
      is('a flush', data.subarray(-4).toString('hex'), '0000ffff');
      inflate.write(data);
    });
    await until('a greeting', async () => text !== '', true);
    await apart(async () => {
      ws.send(JSON.stringify({ op: 2, d: { token: process.env.FAKE_TOKEN, intents: 1, properties: {} } }));
      await until('the servers', async () => (text.match(/"GUILD_CREATE"/g) ?? []).length, 2);
    });
    ws.close(1000);
  }],
  ['voice by numbers, as discord.py writes IDs', async (s) => {
    const talk = s.guild.channels.cache.find((channel) => channel.name === 'talk');
    const { ws, answer } = await apart(() => identified(1));
    is('the answer', answer.t, 'READY');
    ws.send(`{"op":4,"d":{"guild_id":${s.guild.id},"channel_id":${talk.id},"self_mute":false,"self_deaf":false}}`);
    await until('the channel', () => world('talks', 'disco/bot'), talk.id);
    ws.close(1000);
  }],
];
