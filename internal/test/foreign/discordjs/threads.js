// Starts and changes threads and posts.
'use strict';

const { discord, world, is, emits } = require('./course.js');
const { ChannelType, Events, ThreadAutoArchiveDuration } = discord;

module.exports = [
  ['a thread below a message', async (s) => {
    const said = await s.general.messages.fetch(await world('say', 'ada', '#general', 'let us talk'));
    const [told] = await emits(s.client, Events.ThreadCreate, async () => (s.thread = await said.startThread({ name: 'talk', autoArchiveDuration: ThreadAutoArchiveDuration.OneHour })), (told) => told.id === said.id);
    is('its ID', told.id, said.id);
  }],
  ['a message in a thread', async (s) => is('its text', (await s.thread.send('here')).content, 'here')],
  ['what a thread began with', async (s) => is('its text', (await s.thread.fetchStarterMessage({ force: true })).content, 'let us talk')],
  ['a thread without a message', async (s) => is('archived after', (await s.general.threads.create({ name: 'loose', autoArchiveDuration: 1440 })).autoArchiveDuration, 1440)],
  ['a private thread', async (s) => {
    s.secret = await s.general.threads.create({ name: 'secret', type: ChannelType.PrivateThread, invitable: false, rateLimitPerUser: 5 });
    is('its slowmode', s.secret.rateLimitPerUser, 5);
    is('open to invites', s.secret.invitable, false);
  }],
  ['a post in a forum', async (s) => {
    s.forum = s.guild.channels.cache.find((channel) => channel.name === 'ideas');
    s.post = await s.forum.threads.create({ name: 'Dark mode', message: { content: 'my eyes' }, appliedTags: [s.forum.availableTags[0].id] });
    is('tags', s.post.appliedTags.length, 1);
  }],
  ['other tags of a post', async (s) => is('tags', (await s.post.setAppliedTags(s.forum.availableTags.map((tag) => tag.id))).appliedTags.length, 2)],
  ['other tags of a forum', async (s) => is('tags', (await s.forum.setAvailableTags([...s.forum.availableTags, { name: 'later', emoji: { id: null, name: '🕒' } }])).availableTags.length, 3)],
  ['the name of a thread', async (s) => {
    const [, told] = await emits(s.client, Events.ThreadUpdate, () => s.thread.setName('talk about it'), (_, now) => now.id === s.thread.id);
    is('its name', told.name, 'talk about it');
  }],
  ['joining a thread', async (s) => {
    s.hers = await s.client.channels.fetch(await world('thread', 'ada', '#general', 'hers'));
    await s.hers.join();
  }],
  ['a member of a thread', async (s) => is('the user', (await s.hers.members.fetch({ member: s.client.user.id, force: true })).id, s.client.user.id)],
  ['members of a thread', (s) => s.hers.members.fetch()],
  ['members of a thread page by page', async (s) => {
    const found = [];
    for (;;) {
      const page = await s.hers.members.fetch({ withMember: true, limit: 1, after: found.at(-1), cache: false });
      if (page.size === 0) break;
      is('on a page', page.size, 1);
      is('as a member of the server', page.first().guildMember.id, page.firstKey());
      found.push(page.firstKey());
    }
    is('members', found.length, 2);
  }],
  ['someone else in a thread', async (s) => {
    const [{ d: told }] = await emits(s.client, Events.Raw, () => s.hers.members.add(s.bob), (packet) => packet.t === 'THREAD_MEMBERS_UPDATE');
    is('the member', told.added_members[0].member.user.id, s.bob.id);
    is('the presence', told.added_members[0].presence, null);
  }],
  ['someone out of a thread', (s) => s.hers.members.remove(s.bob)],
  ['leaving a thread', (s) => s.hers.leave()],
  ['active threads', async (s) => is('threads', (await s.guild.channels.fetchActiveThreads()).threads.size, 5)],
  ['an archived thread', async (s) => {
    await s.thread.edit({ archived: true, locked: true });
    is('archived', s.thread.archived && s.thread.locked, true);
  }],
  ['a thread that is opened again', async (s) => is('archived', (await s.thread.edit({ archived: false, locked: false })).archived, false)],
  ['archived threads', async (s) => is('threads', (await s.general.threads.fetchArchived()).threads.size, 1)],
  ['archived private threads', (s) => s.general.threads.fetchArchived({ type: 'private' })],
  ['a deleted thread', (s) => emits(s.client, Events.Raw, () => s.thread.delete(), (packet) => packet.t === 'THREAD_DELETE')],
];
