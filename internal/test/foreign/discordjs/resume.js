// Loses connections, and resumes the session.
'use strict';

const { discord, world, is, emits, until, apart } = require('./course.js');
const { Events } = discord;

// resumes loses the connection in some way, has something happen meanwhile, and waits until both that and the end of the replay have come.
const resumes = (name, fault) => [name, async (s) => {
  const before = await world('counts');
  const text = `while it was away: ${name}`;
  const missed = emits(s.client, Events.MessageCreate, async () => {}, (message) => message.content === text);
  await emits(s.client, Events.ShardResume, async () => {
    await world('inject', fault);
    await world('say', 'ada', '#general', text);
  });
  await missed;
  const after = await world('counts');
  is('resumed', after.Resumes, before.Resumes + 1);
  is('identified', after.Identifies, before.Identifies);
}];

module.exports = [
  resumes('a connection that is lost', 'drop'),
  resumes('a connection that Discord closes', 'close 4000'),
  resumes('a request to reconnect', 'reconnect'),
  resumes('a session that may be resumed at once', 'invalid true'),
  ['a heartbeat that Discord asks for', async () => {
    const before = await world('counts');
    await world('inject', 'heartbeat');
    await until('a heartbeat', async () => (await world('counts')).Heartbeats > before.Heartbeats, true);
  }],
  ['a session that is over', async (s) => {
    const before = await world('counts');
    await apart(() => emits(s.client, Events.ShardReady, () => world('inject', 'invalid false')));
    is('identified', (await world('counts')).Identifies, before.Identifies + 1);
  }],
  ['events of the new session', (s) => emits(s.client, Events.MessageCreate, () => world('say', 'ada', '#general', 'welcome back'), (message) => message.content === 'welcome back')],
  ['a goodbye', async (s) => {
    await s.client.destroy();
    await until('sessions', () => world('sessions'), 0);
  }],
];
