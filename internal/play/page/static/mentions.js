// mentions.js translates between what people type and what Discord stores:
// @Name and #channel on one side, <@id> and <#id> on the other. Code is left alone.

const code = /(```[^]*?```|`[^`\n]*`)/;

// toWire turns the names that are known into mentions.
export function toWire(text, store) {
  const targets = [
    ...[...store.people.values()].map((person) => [`@${person.name}`, `<@${person.id}>`]),
    ...[...store.channels.values()].filter(isPlace).map((channel) => [`#${channel.name}`, `<#${channel.id}>`]),
  ].filter(([name]) => name.length > 1).sort(([a], [b]) => b.length - a.length); // "Ann Lee" before "Ann"
  if (targets.length === 0) return text;
  const byName = new Map(targets);
  const anyName = new RegExp(`(?<![\\p{L}\\p{N}_<@#&/])(?:${targets.map(([name]) => escape(name)).join('|')})(?![\\p{L}\\p{N}_-])`, 'gu');
  return text.split(code).map((part, at) => (at % 2 ? part : part.replace(anyName, (name) => byName.get(name)))).join('');
}

// fromWire is the way back, for a message that is edited.
export function fromWire(text, store) {
  return text.replace(/<(@!?|#)(\d+)>/g, (whole, sign, id) => {
    const name = sign === '#' ? store.names.channel(id) : store.names.person(id);
    return name === null ? whole : `${sign[0]}${name}`;
  });
}

// candidates are the names that begin with, or contain, what was typed.
export function candidates(sign, typed, store) {
  const all = sign === '@' ? [...store.people.values()] : [...store.channels.values()].filter(isPlace);
  const wanted = typed.toLowerCase();
  const rank = ({ name }) => name.toLowerCase().indexOf(wanted);
  return all.filter((one) => rank(one) >= 0).sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)).slice(0, 8);
}

const isPlace = (channel) => !['category', 'dm'].includes(channel.kind);

const escape = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
