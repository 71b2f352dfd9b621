// Detects misspelled names, such as those of settings (D-139).

/** True for words that differ by one letter: replaced, added, missing, or two letters swapped. */
export function isTypo(written: string, meant: string): boolean {
  if (written === meant || Math.abs(written.length - meant.length) > 1) return false;
  let prefixLength = 0;
  while (prefixLength < meant.length && written[prefixLength] === meant[prefixLength]) prefixLength++;
  const [a, b] = [written.slice(prefixLength), meant.slice(prefixLength)];
  const isSwap = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return isSwap || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1);
}

/**
 * From this length on, any changed letter in the last part is probably a typing error. A shorter name that differs by one
 * letter is too often another valid name.
 */
const MIN_SLIP_LENGTH = 7;
/** Separates the parts of a name. */
const SEPARATOR = '_';

/**
 * True for names that differ by a typing error in their last part (`KEY` of `API_KEY`), after its first letter: a
 * doubled letter, two swapped letters and, in names of seven letters or more, one letter replaced, missing or added
 * inside. False for what may be another name: `API_KEYS`, `APP_KEY`, `PORT2`, `POST`.
 */
export function isKeyboardSlip(written: string, meant: string): boolean {
  const start = meant.lastIndexOf(SEPARATOR) + 1;
  const [a, b] = [written.slice(start), meant.slice(start)];
  if (!written.startsWith(meant.slice(0, start)) || a[0] !== b[0] || !/^[A-Z]+$/.test(a) || !isTypo(a, b)) return false;
  const isSwap = a.length === b.length && [...a].sort().join('') === [...b].sort().join('');
  if (isSwap || isDoubled(a, b)) return true;
  // A letter added at the end may be a plural.
  return meant.length >= MIN_SLIP_LENGTH && !(a.length > b.length && a.startsWith(b));
}

/** Whether `long` is `short` with one of its letters twice in a row. */
function isDoubled(long: string, short: string): boolean {
  if (long.length !== short.length + 1) return false;
  return [...short].some((letter, index) => long === short.slice(0, index) + letter + short.slice(index));
}
