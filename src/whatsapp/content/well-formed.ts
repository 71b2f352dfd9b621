// Replaces lone surrogates (single halves of UTF-16 surrogate pairs) in the texts of a message. A client that cuts a
// text by its length can leave a lone surrogate at the end. Lone surrogates cannot be encoded as UTF-8, and recipients
// can reject the whole message. No I/O.

/**
 * Replaces every lone surrogate by U+FFFD in all texts of `content`. Changes `content` in place, so `content` must not
 * be used elsewhere.
 */
export function makeWellFormed(content: object): void {
  for (const [name, member] of Object.entries(content)) {
    if (typeof member === 'string') {
      if (!member.isWellFormed()) Reflect.set(content, name, member.toWellFormed());
    } else if (typeof member === 'object' && member !== null && !(member instanceof Uint8Array)) makeWellFormed(member);
  }
}
