// urls.js decides which addresses may become links and images. Everything that
// came from a message passes here first.

// webAddress returns the address of an https page in its full form, or null. An
// address with a name before an @ is refused: it pretends to lead elsewhere.
export function webAddress(text) {
  const url = read(text);
  if (!url || url.protocol !== 'https:' || url.username || url.password) return null;
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
