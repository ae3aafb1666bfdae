// face.js shows people: a coloured square with initials for a bot, a circle for a
// person, and the name with what is special about it.
import { h } from './dom.js';
import { hue, initials } from './text.js';

export function avatar(person, name = person.name) {
  const node = h('span', { class: 'avatar', 'data-bot': Boolean(person.bot), 'aria-hidden': 'true' }, initials(name));
  node.style.setProperty('--hue', hue(person.id));
  return node;
}

export function badges(person) {
  return [
    person.bot && h('span', { class: 'badge' }, 'bot'),
    person.owner && h('span', { class: 'badge', 'data-tone': 'quiet' }, 'owner'),
  ];
}
