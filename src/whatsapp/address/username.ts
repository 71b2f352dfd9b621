// Validates user names, which people can have in addition to, or in place of, a visible phone number. No I/O.

/**
 * WhatsApp's user names have 3 to 35 characters. This pattern allows 1 to 64, so that no user name is lost when
 * WhatsApp changes these limits.
 */
const USERNAME = /^[a-z0-9._]{1,64}$/i;

/** Returns the user name without a leading `@`, or undefined when `text` is not a user name. */
export function toUsername(text: string | null | undefined): string | undefined {
  const name = text?.startsWith('@') ? text.slice(1) : text;
  return name && USERNAME.test(name) ? name : undefined;
}
