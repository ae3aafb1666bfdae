// Makes and changes channels.
'use strict';

const { discord, is, emits, until } = require('./course.js');
const { AuditLogEvent, ChannelType, Events, OverwriteType, PermissionFlagsBits } = discord;

const named = (s, name) => s.guild.channels.cache.find((channel) => channel.name === name);

module.exports = [
  ['a new channel', async (s) => {
    const [told] = await emits(s.client, Events.ChannelCreate, async () => (s.channel = await s.guild.channels.create({ name: 'New Channel', topic: 'things', reason: 'need' })));
    is('its name', told.name, 'new-channel');
    is('its topic', s.channel.topic, 'things');
  }],
  ['a channel in a category', async (s) => {
    const mods = s.guild.roles.cache.find((role) => role.name === 'mods');
    const made = await s.guild.channels.create({ name: 'nested', parent: named(s, 'Projects'), permissionOverwrites: [{ id: mods.id, allow: [PermissionFlagsBits.ViewChannel] }] });
    is('its category', made.parent.name, 'Projects');
    is('overwrites', made.permissionOverwrites.cache.size, 1);
  }],
  ['a voice channel', async (s) => is('its limit', (await s.guild.channels.create({ name: 'Lounge', type: ChannelType.GuildVoice, userLimit: 5 })).userLimit, 5)],
  ['a forum', async (s) => is('tags', (await s.guild.channels.create({ name: 'wishes', type: ChannelType.GuildForum, availableTags: [{ name: 'big' }] })).availableTags.length, 1)],
  ['a media channel', (s) => s.guild.channels.create({ name: 'art', type: ChannelType.GuildMedia })],
  ['a category', async (s) => is('its kind', (await s.guild.channels.create({ name: 'Archive', type: ChannelType.GuildCategory })).type, ChannelType.GuildCategory)],
  ['a change of a channel', async (s) => {
    const [, told] = await emits(s.client, Events.ChannelUpdate, () => s.channel.edit({ name: 'renamed', topic: 'about', rateLimitPerUser: 10 }), (_, now) => now.id === s.channel.id);
    is('its topic', told.topic, 'about');
    is('its slowmode', told.rateLimitPerUser, 10);
  }],
  ['a channel for adults', (s) => s.channel.setNSFW(true)],
  ['another category for a channel', async (s) => is('it', (await s.channel.setParent(named(s, 'Projects'), { lockPermissions: false })).parent.name, 'Projects')],
  ['the order of channels', async (s) => is('the first', (await s.channel.setPosition(0)).id, s.channel.id)],
  ['rights in a channel that are set', async (s) => {
    await s.channel.permissionOverwrites.create(s.bob, { SendMessages: false, ViewChannel: true }, { type: OverwriteType.Member });
    await until('it', async () => s.channel.permissionOverwrites.cache.get(s.bob.id)?.deny.has(PermissionFlagsBits.SendMessages) ?? false, true);
  }],
  ['rights in a channel that change', async (s) => {
    await s.channel.permissionOverwrites.edit(s.bob, { SendMessages: null, AddReactions: false });
    await until('it', async () => s.channel.permissionOverwrites.cache.get(s.bob.id).deny.has(PermissionFlagsBits.AddReactions), true);
  }],
  ['rights less in a channel', async (s) => {
    await s.channel.permissionOverwrites.delete(s.bob);
    await until('it', async () => s.channel.permissionOverwrites.cache.has(s.bob.id), false);
  }],
  ['an invite', async (s) => {
    await emits(s.client, Events.InviteCreate, async () => (s.invite = await s.channel.createInvite({ maxAge: 3600, maxUses: 1, unique: true })));
    is('uses', s.invite.maxUses, 1);
  }],
  ['invites of a channel', async (s) => is('invites', (await s.channel.fetchInvites()).size, 1)],
  ['an invite by its code', (s) => s.client.fetchInvite(s.invite.code)],
  ['what is logged of an invite', async (s) => {
    const entry = (await s.guild.fetchAuditLogs({ type: AuditLogEvent.InviteCreate })).entries.first();
    is('the code', entry.target.code, s.invite.code);
    is('uses', entry.changes.find((change) => change.key === 'max_uses').new, 1);
  }],
  ['an invite less', (s) => s.invite.delete()],
  ['a copy of a channel', async (s) => is('its name', (await s.channel.clone({ name: 'copy' })).name, 'copy')],
  ['a deleted channel', async (s) => {
    await emits(s.client, Events.ChannelDelete, () => s.channel.delete());
    await until('in the cache', async () => s.guild.channels.cache.has(s.channel.id), false);
  }],
];
