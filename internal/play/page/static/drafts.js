// drafts.js keeps what was typed and not sent, for each channel. The words outlive
// a reload of the page; files cannot.

const prefix = 'draft:';

export class Drafts {
  #files = new Map();

  text(channel) {
    try {
      return sessionStorage.getItem(prefix + channel) ?? '';
    } catch {
      return ''; // storage is off
    }
  }

  setText(channel, text) {
    try {
      if (text) sessionStorage.setItem(prefix + channel, text);
      else sessionStorage.removeItem(prefix + channel);
    } catch {
      // Storage is off or full. The field still has the words.
    }
  }

  files(channel) {
    return this.#files.get(channel) ?? [];
  }

  setFiles(channel, files) {
    this.#files.set(channel, files);
  }
}
