// tree.js puts the channels in the order in which Discord shows them.
import { compareIDs } from './text.js';

const spoken = new Set(['voice', 'stage']);

// tree returns the groups of the list: [{ category, channels: [{ channel, threads }] }].
// Channels without a category come first, then the categories, then direct messages.
export function tree(channels) {
  const all = [...channels.values()];
  const threads = grouped(all.filter((channel) => channel.kind === 'thread'));
  const top = all.filter((channel) => !['thread', 'category', 'dm'].includes(channel.kind));
  const inCategory = grouped(top);
  const under = (list) => list.sort(byPlace).map((channel) => ({ channel, threads: (threads.get(channel.id) ?? []).sort(newestFirst) }));

  const categories = all.filter((channel) => channel.kind === 'category').sort(byPlace);
  const known = new Set(categories.map((category) => category.id));
  const loose = top.filter((channel) => !known.has(channel.parent));
  const groups = [
    { category: null, channels: under(loose) },
    ...categories.map((category) => ({ category, channels: under(inCategory.get(category.id) ?? []) })),
    { category: { id: 'dm', name: 'Direct messages' }, channels: under(all.filter((channel) => channel.kind === 'dm')) },
  ];
  return groups.filter((group) => group.channels.length > 0 || known.has(group.category?.id));
}

// firstOpen is the channel to begin with: the first that one can write in.
export function firstOpen(channels) {
  const list = tree(channels).flatMap((group) => group.channels).map(({ channel }) => channel);
  const written = list.filter((channel) => channel.kind === 'text' || channel.kind === 'announcement');
  return (written.find((channel) => channel.canSend) ?? written[0] ?? list[0])?.id ?? '';
}

// posts returns the threads of a channel, the one with the newest message first.
export function posts(channels, parent) {
  return [...channels.values()].filter((channel) => channel.kind === 'thread' && channel.parent === parent).sort(newestFirst);
}

function grouped(channels) {
  const groups = new Map();
  for (const channel of channels) {
    if (!groups.has(channel.parent)) groups.set(channel.parent, []);
    groups.get(channel.parent).push(channel);
  }
  return groups;
}

function byPlace(a, b) {
  return spoken.has(a.kind) - spoken.has(b.kind) || a.position - b.position || compareIDs(a.id, b.id);
}

const newestFirst = (a, b) => compareIDs(b.last || b.id, a.last || a.id);
