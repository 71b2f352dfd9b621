// Decodes parts of URLs.

/**
 * Decodes the percent-encoding of a part of a URL, such as the password. Returns undefined for an empty part, and the
 * part unchanged when its encoding is invalid.
 */
export function decodeUrlPart(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
