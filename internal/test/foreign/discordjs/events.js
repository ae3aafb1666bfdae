// Has people do things, and asks for what Discord refuses.
'use strict';

const { discord, world, is, refused, emits, until } = require('./course.js');
const { Events } = discord;

const named = (s, name) => s.guild.channels.cache.find((channel) => channel.name === name);

// happens is a step in which something happens that the client is told of.
const happens = (name, event, act) => [name, (s) => emits(s.client, event, () => act(s))];

module.exports = [
  ['a member\'s message', async (s) => {
    const text = `hi ${s.client.user}`;
    [s.message] = await emits(s.client, Events.MessageCreate, () => world('say', 'eve', '#general', text), (message) => message.content === text);
    is('the author', s.message.member.displayName, 'eve');
    is('mentioned', s.message.mentions.has(s.client.user), true);
  }],
  happens('a member\'s edit', Events.MessageUpdate, (s) => world('edit', 'eve', s.message.id, 'hello')),
  happens('a member\'s reaction', Events.MessageReactionAdd, (s) => world('react', 'ada', s.message.id, '👍')),
  happens('a member\'s reaction less by themselves', Events.MessageReactionRemove, (s) => world('unreact', 'ada', s.message.id, '👍')),
  happens('a member\'s pin', Events.ChannelPinsUpdate, (s) => world('pin', 'ada', s.message.id)),
  happens('a member\'s deletion', Events.MessageDelete, (s) => world('delete', 'eve', s.message.id)),
  happens('a new member', Events.GuildMemberAdd, () => world('join', 'disco/nina')),
  happens('a member who leaves', Events.GuildMemberRemove, () => world('leave', 'nina')),
  happens('a member with a role', Events.GuildMemberUpdate, () => world('grant', 'eve', 'artists')),
  happens('a member\'s voice', Events.VoiceStateUpdate, () => world('voice', 'eve', 'talk')),
  happens('a member\'s thread', Events.ThreadCreate, () => world('thread', 'ada', '#general', 'chat')),
  happens('a member\'s post', Events.ThreadCreate, () => world('post', 'ada', 'ideas', 'Sounds', 'more of them')),
  happens('a new channel by others', Events.ChannelCreate, () => world('addChannel', 'disco/extra:text')),
  happens('a channel that others delete', Events.ChannelDelete, () => world('deleteChannel', '#doomed')),
  happens('a line of the audit log', Events.GuildAuditLogEntryCreate, (s) => s.bob.setNickname('robert')),
  happens('a server that is gone for a while', Events.GuildUnavailable, () => world('outage', 'lair', 'on')),
  happens('a server that is back', Events.GuildAvailable, () => world('outage', 'lair', 'off')),
  ['a channel that becomes hidden', async (s) => {
    const hidden = named(s, 'hidden');
    await world('demote');
    const [, told] = await emits(s.client, Events.ChannelUpdate, () => world('deny', '#hidden', 'bot', 'View Channel'), (before, after) => after.id === hidden.id);
    is('its name', told.name, '___hidden___');
    s.hidden = hidden;
  }],
  ['a category of which a channel is visible', async (s) => {
    const projects = named(s, 'Projects');
    await world('deleteChannel', '#nested');
    await emits(s.client, Events.ChannelUpdate, () => world('deny', 'Projects', 'bot', 'View Channel'), (before, after) => after.id === projects.id);
    await until('it is hidden', async () => projects.name, '___hidden___');
    await emits(s.client, Events.ChannelUpdate, () => world('allow', '#plans', 'bot', 'View Channel'), (before, after) => after.id === projects.id);
    is('its name', projects.name, 'Projects');
  }],
  ['a channel that there is not', (s) => refused(s.client.channels.fetch('123456789012345678'), 404, 10003)],
  ['a channel that is hidden', (s) => refused(s.hidden.messages.fetch({ limit: 5 }), 403, 50001)],
  ['a message that there is not', (s) => refused(s.general.messages.fetch('123456789012345678'), 404, 10008)],
  ['a message that is too long', (s) => refused(s.general.send('x'.repeat(2001)), 400, 50035)],
  ['a message with nothing in it', (s) => refused(s.general.send({ content: ' ' }), 400, 50006)],
  ['a message of somebody else', async (s) => {
    const id = await world('say', 'ada', '#general', 'mine');
    await refused(s.general.messages.edit(id, 'yours'), 403, 50005);
  }],
  ['a change of the owner', async (s) => refused((await s.guild.fetchOwner()).setNickname('x'), 403, 50013)],
  ['a server that there is not', (s) => refused(s.client.guilds.fetch('123456789012345678'), 404, 10004)],
  ['an emoji that there is not', async (s) => {
    const id = await world('say', 'ada', '#general', 'look');
    await refused(s.general.messages.react(id, 'nope:123456789012345678'), 400, 10014);
  }],
  ['a limit that is waited for', async (s) => {
    await world('limit', 'POST /channels/{channel}/typing');
    const began = Date.now();
    await s.general.sendTyping();
    is('it waited', Date.now() - began >= 100, true);
  }],
  ['a server that is out of order', async (s) => {
    await world('break', 'GET /users/@me');
    await refused(s.client.rest.get('/users/@me'), 503);
  }],
];
