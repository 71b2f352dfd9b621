// Detects misspelled names, such as those of settings (D-139).

/** True for words that differ by one letter: replaced, added, missing, or two letters swapped. */
export function isTypo(written: string, meant: string): boolean {
  if (written === meant || Math.abs(written.length - meant.length) > 1) return false;
  let prefixLength = 0;
  while (prefixLength < meant.length && written[prefixLength] === meant[prefixLength]) prefixLength++;
  const writtenRest = written.slice(prefixLength);
  const meantRest = meant.slice(prefixLength);
  const isSwapped =
    writtenRest[0] === meantRest[1] && writtenRest[1] === meantRest[0] && writtenRest.slice(2) === meantRest.slice(2);
  const isReplaced = writtenRest.slice(1) === meantRest.slice(1);
  const isAdded = writtenRest.slice(1) === meantRest;
  const isMissing = writtenRest === meantRest.slice(1);
  return isSwapped || isReplaced || isAdded || isMissing;
}

/**
 * From this length of a name on, any changed letter in the last part is probably a typing error. A shorter name that
 * differs by one letter is too often another valid name.
 */
const MIN_SLIP_LENGTH = 7;
/** Separates the parts of a name. */
const SEPARATOR = '_';

/**
 * True for names that differ by a typing error in their last part (`KEY` of `API_KEY`), after the first letter of that
 * part: a doubled letter, two swapped letters and, in names of seven characters or more, one letter that is replaced,
 * missing, or added before the end. False when `written` may be another name that is spelled correctly: for example
 * `API_KEYS` and `APP_KEY` for `API_KEY`, and `PORT2` and `POST` for `PORT`. It is stricter than isTypo(), for short
 * names.
 */
export function isKeyboardSlip(written: string, meant: string): boolean {
  const start = meant.lastIndexOf(SEPARATOR) + 1;
  if (!written.startsWith(meant.slice(0, start))) return false;
  const writtenPart = written.slice(start);
  const meantPart = meant.slice(start);
  if (writtenPart[0] !== meantPart[0] || !/^[A-Z]+$/.test(writtenPart) || !isTypo(writtenPart, meantPart)) return false;
  if (sortedLetters(writtenPart) === sortedLetters(meantPart) || isDoubled(writtenPart, meantPart)) return true;
  // A letter added at the end may be a plural.
  const isPlural = writtenPart.length > meantPart.length && writtenPart.startsWith(meantPart);
  return meant.length >= MIN_SLIP_LENGTH && !isPlural;
}

/** The letters of a word in alphabetical order, which two swapped letters do not change. */
const sortedLetters = (word: string): string => [...word].sort().join('');

/** Whether `long` is `short` with one of its letters twice in a row. */
function isDoubled(long: string, short: string): boolean {
  if (long.length !== short.length + 1) return false;
  return [...short].some((letter, index) => long === short.slice(0, index) + letter + short.slice(index));
}
