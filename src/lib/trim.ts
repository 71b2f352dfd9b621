// Cuts characters off the ends of a text in linear time: a regular expression such as /x+$/ takes quadratic time on a hostile text.

/** `text` without the characters of `unwanted` (single UTF-16 units) at its end. Linear in the length of `text`. */
export function trimEndOf(text: string, unwanted: string): string {
  let end = text.length;
  while (end > 0 && unwanted.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `text` without the characters of `unwanted` (single UTF-16 units) at both ends. Linear in the length of `text`. */
export function trimOf(text: string, unwanted: string): string {
  const kept = trimEndOf(text, unwanted);
  let start = 0;
  while (start < kept.length && unwanted.includes(kept.charAt(start))) start += 1;
  return kept.slice(start);
}
