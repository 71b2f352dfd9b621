// Parts of the addresses of servers.

/** Decodes a user, a password or a name in a URL: undefined for none, as it is written when the encoding is not valid. */
export function decodeUrlPart(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
