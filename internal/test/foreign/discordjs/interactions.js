// Has commands and buttons, and answers those who use them.
'use strict';

const { discord, world, is, refused, emits } = require('./course.js');
const { ApplicationCommandOptionType, ComponentType, Events, MessageFlags } = discord;
const { press, sends } = require('./messages.js');

const claw = {
  name: 'claw',
  description: 'Claws.',
  options: [{
    type: ApplicationCommandOptionType.Subcommand, name: 'say', description: 'Say it.',
    options: [{ type: ApplicationCommandOptionType.String, name: 'text', description: 'What.', required: true }],
  }],
};

// pressed has ada press the button, and returns the interaction.
async function pressed(s) {
  [s.interaction] = await emits(s.client, Events.InteractionCreate, () => world('press', 'ada', s.message.id, 'go'));
  return s.interaction;
}

module.exports = [
  ['a command', async (s) => {
    s.command = await s.client.application.commands.create(claw);
    is('its name', s.command.name, 'claw');
  }],
  ['a command without subcommands', async (s) => is('its name', (await s.client.application.commands.create({ name: 'plain', description: 'Plain.' })).name, 'plain')],
  ['a command of one server', (s) => s.guild.commands.create({ name: 'local', description: 'Local.' })],
  ['a change of a command', async (s) => is('the description', (await s.command.edit({ description: 'Has claws.' })).description, 'Has claws.')],
  ['commands', async (s) => is('commands', (await s.client.application.commands.fetch()).size, 2)],
  ['all commands at once', (s) => s.client.application.commands.set([claw])],
  ['an answer to a command', async (s) => {
    [s.interaction] = await emits(s.client, Events.InteractionCreate, () => world('run', 'ada', '#general', 'claw say hello'));
    await s.interaction.reply('said');
    is('the answer', await world('seen'), 'replied: said');
  }],
  ['what the command was given', async (s) => {
    is('the subcommand', s.interaction.options.getSubcommand(), 'say');
    is('the text', s.interaction.options.getString('text'), 'hello');
    is('the user', s.interaction.user.username, 'ada');
    is('their rights', s.interaction.memberPermissions.bitfield > 0n, true);
  }],
  ['the answer that was given', async (s) => is('the text', (await s.interaction.fetchReply()).content, 'said')],
  ['an edit of the answer', async (s) => is('the text', (await s.interaction.editReply('said again')).content, 'said again')],
  ['a further answer', async (s) => {
    s.further = await s.interaction.followUp('and more');
    is('the text', s.further.content, 'and more');
  }],
  ['an edit of the further answer', async (s) => is('the text', (await s.interaction.editReply({ message: s.further, content: 'and less' })).content, 'and less')],
  ['the further answer less', (s) => s.interaction.deleteReply(s.further)],
  ['the answer less', (s) => s.interaction.deleteReply()],
  ['an answer for one person only', async (s) => {
    await sends(s, { content: 'press', components: [press()] });
    const it = await pressed(s);
    const { resource } = await it.reply({ content: 'psst', flags: MessageFlags.Ephemeral, withResponse: true });
    is('its flag', resource.message.flags.has(MessageFlags.Ephemeral), true);
    is('the answer', await world('seen'), 'replied: psst');
  }],
  ['which button it was', async (s) => {
    is('the button', s.interaction.customId, 'go');
    is('the kind', s.interaction.componentType, ComponentType.Button);
    is('the message', s.interaction.message.id, s.message.id);
  }],
  ['an answer that comes later', async (s) => {
    const it = await pressed(s);
    await it.deferReply();
    is('the answer', await world('seen'), 'reply deferred: ');
    is('the text', (await it.editReply('at last')).content, 'at last');
  }],
  ['an answer that says nothing', async (s) => {
    await (await pressed(s)).deferUpdate();
    is('the answer', await world('seen'), 'update deferred: press');
  }],
  ['a second first answer', async (s) => {
    const body = { type: 6 };
    await refused(s.client.rest.post(`/interactions/${s.interaction.id}/${s.interaction.token}/callback`, { body, auth: false }), 400, 40060);
  }],
  ['a form to fill in', async (s) => {
    const it = await pressed(s);
    const form = { custom_id: 'm', title: 'Form', components: [{ type: 1, components: [{ type: 4, custom_id: 't', style: 1, label: 'Text' }] }] };
    try {
      const { interaction, resource } = await it.showModal(form, { withResponse: true });
      is('the response', interaction.id, it.id);
      is('its resource', resource, null);
    } finally {
      await world('unseen');
    }
  }],
  ['a form that is filled in', async (s) => {
    const [it] = await emits(s.client, Events.InteractionCreate, () => world('submit', 'ada', '#general', 'm', 't', 'because'));
    is('the text', it.fields.getTextInputValue('t'), 'because');
    is('of a message', it.isFromMessage(), true);
    is('the message', it.message.id, s.message.id);
    await it.update({ content: 'filled in' });
    is('the answer', await world('seen'), 'updated: filled in');
  }],
  ['an answer that changes the message', async (s) => {
    await (await pressed(s)).update({ content: 'pressed', components: [] });
    is('the answer', await world('seen'), 'updated: pressed');
  }],
  ['a command less', (s) => s.command.delete()],
];
