// Changes members and roles.
'use strict';

const { discord, world, is, emits, until } = require('./course.js');
const { AuditLogEvent, Events, PermissionFlagsBits } = discord;

const role = (s, name) => s.guild.roles.cache.find((each) => each.name === name);

module.exports = [
  ['a nickname', async (s) => {
    const [, told] = await emits(s.client, Events.GuildMemberUpdate, () => s.bob.setNickname('bobby'), (_, now) => now.id === s.bob.id);
    is('it', told.nickname, 'bobby');
  }],
  ['one\'s own nickname', async (s) => is('it', (await s.guild.members.me.setNickname('claw')).nickname, 'claw')],
  ['a role for a member', async (s) => is('roles', (await s.bob.roles.add(role(s, 'mods'))).roles.cache.has(role(s, 'mods').id), true)],
  ['a role less', async (s) => is('roles', (await s.bob.roles.remove(role(s, 'mods'))).roles.cache.has(role(s, 'mods').id), false)],
  ['several roles at once', async (s) => is('roles', (await s.bob.roles.set([role(s, 'mods'), role(s, 'artists')])).roles.cache.size, 3)],
  ['several changes of a member', async (s) => is('the name', (await s.bob.edit({ nick: 'bobo', roles: [], reason: 'tidying' })).nickname, 'bobo')],
  ['a timeout', async (s) => is('timed out', (await s.bob.timeout(60_000, 'loud')).isCommunicationDisabled(), true)],
  ['a timeout less', async (s) => is('timed out', (await s.bob.timeout(null)).isCommunicationDisabled(), false)],
  ['muting a member', (s) => s.bob.voice.setMute(true)],
  ['a kick', async (s) => {
    const zoe = await s.guild.members.fetch(await world('user', 'zoe'));
    await emits(s.client, Events.GuildMemberRemove, () => zoe.kick('spam'));
    s.zoe = zoe.user;
  }],
  ['a ban', (s) => emits(s.client, Events.GuildBanAdd, () => s.guild.members.ban(s.zoe, { deleteMessageSeconds: 60, reason: 'more spam' }))],
  ['bans', async (s) => is('bans', (await s.guild.bans.fetch()).size, 1)],
  ['bans before one', (s) => s.guild.bans.fetch({ before: s.client.user.id, limit: 10 })],
  ['one ban', async (s) => is('the reason', (await s.guild.bans.fetch({ user: s.zoe, force: true })).reason, 'more spam')],
  ['a ban less', (s) => emits(s.client, Events.GuildBanRemove, () => s.guild.members.unban(s.zoe))],
  ['many bans at once', (s) => s.guild.members.bulkBan([s.zoe])],
  ['what is logged of a kick', async (s) => {
    const entry = (await s.guild.fetchAuditLogs({ type: AuditLogEvent.MemberKick })).entries.first();
    is('the reason', entry.reason, 'spam');
    is('of', entry.targetId, s.zoe.id);
    is('by', entry.executorId, s.client.user.id);
  }],
  ['a new role', async (s) => {
    await emits(s.client, Events.GuildRoleCreate, async () => (s.role = await s.guild.roles.create({ name: 'red', colors: { primaryColor: 0xff0000 }, hoist: true, mentionable: true, permissions: [PermissionFlagsBits.KickMembers] })));
    is('its colour', s.role.colors.primaryColor, 0xff0000);
    is('its rights', s.role.permissions.has(PermissionFlagsBits.KickMembers), true);
  }],
  ['a role in two colours', async (s) => {
    try {
      await s.role.setColors({ primaryColor: 1, secondaryColor: 2 });
    } catch (error) {
      return is('the code', error.code, 50101);
    }
    throw new Error('it was not refused');
  }],
  ['a change of a role', async (s) => {
    const [, told] = await emits(s.client, Events.GuildRoleUpdate, () => s.role.edit({ name: 'crimson' }), (_, now) => now.id === s.role.id);
    is('its name', told.name, 'crimson');
  }],
  ['the order of roles', (s) => s.role.setPosition(2)],
  ['one role', async (s) => is('its name', (await s.guild.roles.fetch(s.role.id, { force: true })).name, 'crimson')],
  ['a role less on the server', async (s) => {
    await emits(s.client, Events.GuildRoleDelete, () => s.role.delete());
    await until('in the cache', async () => s.guild.roles.cache.has(s.role.id), false);
  }],
];
