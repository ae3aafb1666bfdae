// mentions.js translates between what people type and what Discord stores: @Name on
// one side, <@id> on the other. Code is left alone. Channels stay #name as typed;
// whoever reads them knows them by name.

const code = /(```[^]*?```|`[^`\n]*`)/;

// toWire turns the names of people into mentions.
export function toWire(text, store) {
  const byName = new Map([...store.people.values()].map(({ id, name }) => [`@${name}`, `<@${id}>`]));
  if (byName.size === 0) return text;
  const longestFirst = [...byName.keys()].sort((a, b) => b.length - a.length); // "Ann Lee" before "Ann"
  const anyName = new RegExp(`(?<![\\p{L}\\p{N}_<@])(?:${longestFirst.map(escape).join('|')})(?![\\p{L}\\p{N}_-])`, 'gu');
  return text.split(code).map((part, at) => (at % 2 ? part : part.replace(anyName, (name) => byName.get(name)))).join('');
}

// fromWire is the way back, for a message that is edited.
export function fromWire(text, store) {
  return text.replace(/<@!?(\d+)>/g, (whole, id) => (store.names.person(id) === null ? whole : `@${store.names.person(id)}`));
}

const beginning = /(?:^|\s)([@#])([\p{L}\p{N}_.-]{0,32})$/u;

// offerNames is a source of complete.js: names, while somebody types @ or #.
export function offerNames(before, store) {
  const match = beginning.exec(before);
  const found = match ? candidates(match[1], match[2], store) : [];
  return found.length > 0 ? { label: 'Names', from: before.length - match[2].length, found } : null;
}

// candidates are the names that begin with, or contain, what was typed.
function candidates(sign, typed, store) {
  const all = sign === '@' ? [...store.people.values()] : [...store.channels.values()].filter(isPlace);
  const wanted = typed.toLowerCase();
  const rank = ({ name }) => name.toLowerCase().indexOf(wanted);
  return all.filter((one) => rank(one) >= 0).sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)).slice(0, 8).map((one) => ({ ...one, enough: true }));
}

const isPlace = (channel) => !['category', 'dm'].includes(channel.kind);

const escape = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
