// Looks at the server and its users.
'use strict';

const { discord, world, is, emits } = require('./course.js');
const { Events, GuildScheduledEventPrivacyLevel, GuildScheduledEventEntityType, PermissionFlagsBits } = discord;

module.exports = [
  ['another user', async (s) => is('the name', (await s.client.users.fetch(await world('user', 'bob'), { force: true })).username, 'bob')],
  ['one\'s servers', async (s) => is('servers', (await s.client.guilds.fetch()).size, 2)],
  ['one\'s servers before one', (s) => s.client.guilds.fetch({ before: s.guild.id })],
  ['a server with counts', async (s) => is('members', (await s.client.guilds.fetch({ guild: s.guild.id, withCounts: true, force: true })).approximateMemberCount, 5)],
  ['a preview of a server', (s) => s.client.fetchGuildPreview(s.guild.id)],
  ['a change of a server', (s) => s.guild.setName('disco')],
  ['the owner', async (s) => is('the name', (await s.guild.fetchOwner({ force: true })).user.username, 'ada')],
  ['channels', async (s) => is('channels', (await s.guild.channels.fetch()).size, 10)],
  ['a member', async (s) => {
    s.bob = await s.guild.members.fetch({ user: await world('user', 'bob'), force: true });
    is('the name', s.bob.displayName, 'bob');
  }],
  ['members on a page', async (s) => is('members', (await s.guild.members.list({ limit: 3 })).size, 3)],
  ['a search for members', async (s) => is('members', (await s.guild.members.search({ query: 'e', limit: 10 })).size, 1)],
  ['rights in a channel', async (s) => {
    is('administrator', s.general.permissionsFor(s.client.user).has(PermissionFlagsBits.Administrator), true);
    const ops = s.guild.channels.cache.find((channel) => channel.name === 'ops');
    is('bob sees it', ops.permissionsFor(s.bob).has(PermissionFlagsBits.ViewChannel), false);
  }],
  ['roles', async (s) => is('roles', (await s.guild.roles.fetch()).size, 4)],
  ['how many have each role', async (s) => is('roles', (await s.guild.roles.fetchMemberCounts()).size, 3)],
  ['the audit log', async (s) => is('a log', typeof (await s.guild.fetchAuditLogs({ limit: 10 })).entries.size, 'number')],
  ['the audit log after an entry', async (s) => {
    for (const target of ['1', '2', '3']) await world('log', 'disco/ada', target);
    const [, , first] = [...(await s.guild.fetchAuditLogs({ limit: 3 })).entries.keys()];
    const { entries } = await s.guild.fetchAuditLogs({ after: first });
    is('the oldest first', entries.map((entry) => entry.targetId).join(), '2,3');
  }],
  ['invites of a server', async (s) => is('invites', (await s.guild.invites.fetch()).size, 0)],
  ['webhooks of a server', async (s) => {
    await world('webhook', 'ada', '#general', 'news');
    s.webhook = (await s.guild.fetchWebhooks()).first();
    is('its name', s.webhook.name, 'news');
  }],
  ['a new webhook', (s) => s.general.createWebhook({ name: 'mine' })],
  ['executing a webhook', (s) => s.webhook.send('hello')],
  ['emoji', async (s) => {
    s.emoji = await world('emoji', 'party');
    is('emoji', (await s.guild.emojis.fetch()).size, 1);
  }],
  ['an emoji', async (s) => is('its name', (await s.guild.emojis.fetch(s.emoji, { force: true })).name, 'party')],
  ['a new emoji', (s) => s.guild.emojis.create({ attachment: Buffer.from('89504e470d0a1a0a', 'hex'), name: 'dance' })],
  ['integrations', (s) => s.guild.fetchIntegrations()],
  ['how many could be pruned', (s) => s.guild.members.prune({ dry: true, days: 7 })],
  ['rules of auto-moderation', (s) => s.guild.autoModerationRules.fetch()],
  ['templates', (s) => s.guild.fetchTemplates()],
  ['an event', async (s) => {
    const [told] = await emits(s.client, Events.GuildScheduledEventCreate, async () => {
      s.event = await s.guild.scheduledEvents.create({
        name: 'party', scheduledStartTime: Date.now() + 3600_000, scheduledEndTime: Date.now() + 7200_000,
        privacyLevel: GuildScheduledEventPrivacyLevel.GuildOnly, entityType: GuildScheduledEventEntityType.External, entityMetadata: { location: 'garden' },
      });
    });
    is('its name', told.name, 'party');
  }],
  ['a change of an event', async (s) => is('its name', (await s.event.edit({ name: 'feast' })).name, 'feast')],
  ['events', async (s) => is('events', (await s.guild.scheduledEvents.fetch({ withUserCount: false })).size, 1)],
  ['events with how many are interested', async (s) => is('interested', (await s.guild.scheduledEvents.fetch({ withUserCount: true })).first().userCount, 0)],
  ['an event less', (s) => emits(s.client, Events.GuildScheduledEventDelete, () => s.event.delete())],
];
