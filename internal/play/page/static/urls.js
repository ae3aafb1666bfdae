// urls.js decides which addresses may become links and images. Everything that
// came from a message passes here first.

// webAddress returns the address of a web page in its full form, or null. An
// address with a name before an @ is refused: it pretends to lead elsewhere.
export function webAddress(text) {
  const url = read(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  return url.href;
}

// fileAddress returns the path of an attached file on this server, or null.
export function fileAddress(text) {
  const url = read(text, location.origin);
  if (!url || url.origin !== location.origin || !url.pathname.startsWith('/attachments/')) return null;
  return url.pathname + url.search;
}

// channelAddress is where a channel is found within the page.
export const channelAddress = (id) => `#channel/${encodeURIComponent(id)}`;

// channelAt returns the channel that a page address names, or ''.
export function channelAt(hash) {
  const found = /^#channel\/(.+)$/.exec(hash);
  return found ? decode(found[1]) : '';
}

const discord = 'discord.com'; // where links to messages point, wherever the server is

// messageAddress is the link to a message as Discord writes it. A conversation with the
// bot belongs to no server; its place is @me.
export const messageAddress = (guild, channel, message) => `https://${discord}/channels/${guild || '@me'}/${channel}/${message}`;

// messageAt reads such a link, or returns null.
export function messageAt(address) {
  const url = read(address);
  const found = url?.hostname === discord && /^\/channels\/(@me|\d+)\/(\d+)\/(\d+)\/?$/.exec(url.pathname);
  return found ? { guild: found[1], channel: found[2], message: found[3] } : null;
}

// mayOpen is the last check before an address is put into the page.
export function mayOpen(address) {
  return address.startsWith('#') || fileAddress(address) === address || webAddress(address) === address;
}

function read(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
