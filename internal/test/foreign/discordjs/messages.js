// Writes, changes and deletes messages.
'use strict';

const { discord, world, is, emits, until } = require('./course.js');
const { Events, ActionRowBuilder, AttachmentBuilder, ButtonBuilder, ButtonStyle, EmbedBuilder, MessageFlags, MessageType, PollLayoutType, StringSelectMenuBuilder } = discord;

const dot = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const press = () => new ActionRowBuilder().addComponents(new ButtonBuilder().setCustomId('go').setLabel('Go').setStyle(ButtonStyle.Primary));

// sends posts a message, waits for its event, and leaves it for later steps.
async function sends(s, options, channel = s.general) {
  await emits(s.client, Events.MessageCreate, async () => (s.message = await channel.send(options)), (told) => told.author.id === s.client.user.id);
  return s.message;
}

module.exports = [
  ['a message', async (s) => is('its text', (await sends(s, 'hello')).content, 'hello')],
  ['the same message', async (s) => is('its text', (await s.general.messages.fetch({ message: s.message.id, force: true })).content, 'hello')],
  ['an edit', async (s) => {
    const [, told] = await emits(s.client, Events.MessageUpdate, () => s.message.edit('hello there'), (_, now) => now.id === s.message.id);
    is('its text', told.content, 'hello there');
    is('edited', told.editedTimestamp !== null, true);
  }],
  ['an edit to an embed', async (s) => is('embeds', (await s.message.edit({ embeds: [{ title: 'card' }] })).embeds.length, 1)],
  ['an embed', async (s) => {
    const embed = new EmbedBuilder().setTitle('card').setDescription('text').setColor(0x0000ff).setTimestamp().setFooter({ text: 'foot' }).setAuthor({ name: 'me' }).addFields({ name: 'a', value: 'b', inline: true });
    const [got] = (await sends(s, { embeds: [embed] })).embeds;
    is('the title', got.title, 'card');
    is('the colour', got.color, 255);
    is('fields', got.fields.length, 1);
  }],
  ['a reply', async (s) => {
    const said = await s.general.messages.fetch(await world('say', 'ada', '#general', 'what?'));
    const reply = await said.reply('that');
    is('its kind', reply.type, MessageType.Reply);
    is('to', reply.reference.messageId, said.id);
  }],
  ['what a reply is to', async (s) => {
    const last = (await s.general.messages.fetch({ limit: 1 })).first();
    is('its text', (await last.fetchReference()).content, 'what?');
  }],
  ['a forward', (s) => s.message.forward(s.guild.channels.cache.find((channel) => channel.name === 'ops'))],
  ['a silent message', async (s) => is('its flag', (await sends(s, { content: 'psst', flags: MessageFlags.SuppressNotifications })).flags.has(MessageFlags.SuppressNotifications), true)],
  ['a message read aloud', (s) => s.general.send({ content: 'loud', tts: true })],
  ['a message that is sent once', async (s) => {
    const once = { content: 'once', nonce: 'abc', enforceNonce: true };
    is('the same', (await s.general.send(once)).id, (await s.general.send(once)).id);
  }],
  ['a mention', async (s) => is('mentioned', (await sends(s, { content: `${s.bob}`, allowedMentions: { users: [s.bob.id] } })).mentions.users.size, 1)],
  ['a mention that is not allowed', async (s) => is('everyone', (await sends(s, { content: '@everyone', allowedMentions: { parse: [] } })).mentions.everyone, false)],
  ['a file', async (s) => is('its size', (await sends(s, { files: [new AttachmentBuilder(Buffer.from('some notes'), { name: 'notes.txt', description: 'notes' })] })).attachments.first().size, 10)],
  ['what the file has in it', async (s) => is('the text', await (await fetch(s.message.attachments.first().url)).text(), 'some notes')],
  ['a description of a file', async (s) => is('it', s.message.attachments.first().description, 'notes')],
  ['a picture', async (s) => {
    const picture = (await sends(s, { content: 'look', files: [{ attachment: dot, name: 'dot.png' }] })).attachments.first();
    is('its width', picture.width, 1);
    is('its height', picture.height, 1);
  }],
  ['a spoiler', async (s) => {
    const file = (await sends(s, { files: [new AttachmentBuilder(Buffer.from('the end'), { name: 'end.txt' }).setSpoiler()] })).attachments.first();
    is('a spoiler', file.spoiler, true);
    is('its flag', file.flags.bitfield & 8, 8);
  }],
  ['a file less', async (s) => is('files', (await s.message.edit({ content: 'nothing', attachments: [] })).attachments.size, 0)],
  ['buttons', async (s) => {
    const row = press().addComponents(new ButtonBuilder().setURL('https://example.org').setLabel('Page').setStyle(ButtonStyle.Link), new ButtonBuilder().setCustomId('party').setEmoji(s.emoji).setStyle(ButtonStyle.Success));
    is('buttons', (await sends(s, { content: 'press', components: [row] })).components[0].components.length, 3);
  }],
  ['a menu to choose from', (s) => s.general.send({ components: [new ActionRowBuilder().addComponents(new StringSelectMenuBuilder().setCustomId('s').addOptions({ label: 'a', value: 'a' }))] })],
  ['a poll', async (s) => {
    const poll = { question: { text: 'tea?' }, answers: [{ text: 'yes' }, { text: 'no' }], duration: 2, allowMultiselect: false, layoutType: PollLayoutType.Default };
    is('answers', (await sends(s, { poll })).poll.answers.size, 2);
  }],
  ['the end of a poll', async (s) => {
    await world('vote', 'disco/ada', s.message.id, 1);
    let ended;
    [s.result] = await emits(s.client, Events.MessageCreate, async () => (ended = await s.message.poll.end()), (message) => message.type === MessageType.PollResult);
    is('over', ended.poll.resultsFinalized, true);
    is('votes', ended.poll.answers.first().voteCount, 1);
  }],
  ['the result of a poll', async (s) => {
    const [embed] = s.result.embeds;
    is('the kind', embed.data.type, 'poll_result');
    is('the poll', s.result.reference.messageId, s.message.id);
    is('the author', s.result.author.id, s.client.user.id);
    is('the fields', embed.fields.map(({ name, value }) => `${name}=${value}`).join(), 'poll_question_text=tea?,victor_answer_votes=1,total_votes=1,victor_answer_id=1,victor_answer_text=yes');
  }],
  ['who chose an answer', (s) => s.message.poll.answers.first().voters.fetch()],
  ['the latest messages', async (s) => is('messages', (await s.general.messages.fetch({ limit: 3 })).size, 3)],
  ['messages before one', async (s) => is('messages', (await s.general.messages.fetch({ limit: 2, before: s.message.id })).size, 2)],
  ['messages after one', async (s) => is('the result of the poll', (await s.general.messages.fetch({ after: s.message.id })).firstKey(), s.result.id)],
  ['messages around one', async (s) => is('some', (await s.general.messages.fetch({ around: s.message.id, limit: 3 })).has(s.message.id), true)],
  ['a reaction', (s) => emits(s.client, Events.MessageReactionAdd, () => s.message.react('🔥'))],
  ['a reaction with the server\'s own emoji', async (s) => is('the emoji', (await s.message.react(s.guild.emojis.cache.get(s.emoji))).emoji.id, s.emoji)],
  ['who reacted', async (s) => is('users', (await s.message.reactions.resolve('🔥').users.fetch()).size, 1)],
  ['a reaction less', (s) => emits(s.client, Events.MessageReactionRemove, () => s.message.reactions.resolve('🔥').users.remove())],
  ['a member\'s reaction less', async (s) => {
    await emits(s.client, Events.MessageReactionAdd, () => world('react', 'bob', s.message.id, '👍'));
    await s.message.reactions.resolve('👍').users.remove(s.bob);
  }],
  ['all reactions of an emoji less', (s) => s.message.reactions.resolve(s.emoji).remove()],
  ['all reactions less', (s) => s.message.reactions.removeAll()],
  ['a pin', (s) => emits(s.client, Events.ChannelPinsUpdate, () => s.message.pin())],
  ['pins', async (s) => is('pins', (await s.general.messages.fetchPins()).items.length, 1)],
  ['a pin less', (s) => s.message.unpin()],
  ['an announcement for other servers', async (s) => {
    const news = s.guild.channels.cache.find((channel) => channel.name === 'news');
    const message = await (await news.send('news')).crosspost(); // the one in the cache, which an event changes
    await until('its flag', async () => message.flags.has(MessageFlags.Crossposted), true);
  }],
  ['typing', (s) => s.general.sendTyping()],
  ['embeds that are hidden', async (s) => {
    const told = await (await s.general.send({ embeds: [{ title: 'x' }] })).suppressEmbeds();
    is('its flag', told.flags.has(MessageFlags.SuppressEmbeds), true);
  }],
  ['a deletion', (s) => emits(s.client, Events.MessageDelete, () => s.message.delete(), (told) => told.id === s.message.id)],
  ['many deletions at once', async (s) => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await world('say', 'bob', '#general', 'spam'));
    const [told] = await emits(s.client, Events.MessageBulkDelete, () => s.general.bulkDelete(ids));
    is('messages', told.size, 3);
  }],
  ['a direct message', async (s) => {
    const dm = await s.bob.createDM();
    is('its text', (await dm.send('between us')).content, 'between us');
    is('for', dm.recipientId, s.bob.id);
  }],
  ['an answer to a direct message', async (s) => {
    const [told] = await emits(s.client, Events.MessageCreate, () => world('say', 'bob', '@bot', 'yes'), (message) => message.content === 'yes');
    is('a server', told.inGuild(), false);
  }],
  ['a message that is no more in the cache', async (s) => {
    const id = await world('say', 'ada', '#general', 'lost');
    await until('it is there', async () => s.general.messages.cache.has(id), true);
    s.general.messages.cache.delete(id);
    is('its text', (await s.general.messages.fetch(id)).content, 'lost');
  }],
];
module.exports.press = press;
module.exports.sends = sends;
