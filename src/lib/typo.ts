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

/** Names of this length have few enough neighbors for any other letter in their last part to be a slip. */
const LONG_ENOUGH = 7;
/** Between the parts of a name. */
const SEPARATOR = '_';

/**
 * True for short names that differ by a slip of the finger in their last part (`KEY` of `API_KEY`), which keeps its first letter: a letter doubled or two
 * that changed places and, in names of seven letters or more, one letter replaced, left out or added inside. False for what reads as another
 * name: `API_KEYS`, `APP_KEY`, `PORT2`, `POST`.
 */
export function isSlip(written: string, meant: string): boolean {
  const start = meant.lastIndexOf(SEPARATOR) + 1;
  const [a, b] = [written.slice(start), meant.slice(start)];
  if (!written.startsWith(meant.slice(0, start)) || a[0] !== b[0] || !/^[A-Z]+$/.test(a) || !isTypo(a, b)) return false;
  const isSwap = a.length === b.length && [...a].sort().join('') === [...b].sort().join('');
  if (isSwap || isDoubled(a, b)) return true;
  // At the end a letter makes a plural, or names another one of its kind.
  return meant.length >= LONG_ENOUGH && !(a.length > b.length && a.startsWith(b));
}

/** Whether `long` is `short` with one of its letters twice in a row. */
function isDoubled(long: string, short: string): boolean {
  if (long.length !== short.length + 1) return false;
  return [...short].some((letter, index) => long === short.slice(0, index) + letter + short.slice(index));
}
