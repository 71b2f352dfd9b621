// Whether a word was probably meant to be another one.

/** True for words that differ by one letter: another one, one too many, one missing, or two that changed places. */
export function isTypo(written: string, meant: string): boolean {
  if (written === meant || Math.abs(written.length - meant.length) > 1) return false;
  let same = 0;
  while (same < meant.length && written[same] === meant[same]) same++;
  const [a, b] = [written.slice(same), meant.slice(same)];
  const isSwap = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return isSwap || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1);
}
