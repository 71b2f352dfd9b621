// Trims characters in linear time. A regular expression such as /x+$/ takes quadratic time for a hostile text.

/** `text` without the characters of `unwanted` (single UTF-16 units) at its end. Linear in the length of `text`. */
export function trimEnd(text: string, unwanted: string): string {
  let end = text.length;
  while (end > 0 && unwanted.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `text` without the characters of `unwanted` (single UTF-16 units) at both ends. Linear in the length of `text`. */
export function trimBoth(text: string, unwanted: string): string {
  const trimmed = trimEnd(text, unwanted);
  let start = 0;
  while (start < trimmed.length && unwanted.includes(trimmed.charAt(start))) start += 1;
  return trimmed.slice(start);
}
