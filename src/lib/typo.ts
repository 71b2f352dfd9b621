// Detects misspelled names, such as those of settings (D-139).

/** True for one typing error: a letter is replaced, added or missing, or two neighboring letters are swapped. */
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
 * Minimum length of a name in which a replaced, missing or added letter is probably a typing error. A shorter name that
 * differs in this way is too often another valid name.
 */
const MIN_LENGTH = 7;
/** Separates the parts of a name. */
const SEPARATOR = '_';

/**
 * A stricter isTypo() for short names, in which one changed letter often makes another valid name: `API_KEYS` and
 * `APP_KEY` are no typing errors for `API_KEY`, and `PORT2` and `POST` are none for `PORT`. Only the last part of the
 * name (`KEY` of `API_KEY`) can contain the error, and the first letter of this part must be right. True for a doubled
 * letter and for two swapped letters. In names of seven characters or more, also true for a letter that is replaced,
 * missing, or added before the end.
 */
export function isLikelyTypo(written: string, meant: string): boolean {
  const start = meant.lastIndexOf(SEPARATOR) + 1;
  if (!written.startsWith(meant.slice(0, start))) return false;
  const writtenPart = written.slice(start);
  const meantPart = meant.slice(start);
  if (writtenPart[0] !== meantPart[0] || !/^[A-Z]+$/.test(writtenPart) || !isTypo(writtenPart, meantPart)) return false;
  if (sortLetters(writtenPart) === sortLetters(meantPart) || isDoubled(writtenPart, meantPart)) return true;
  // A letter added at the end may be a plural.
  const isPlural = writtenPart.length > meantPart.length && writtenPart.startsWith(meantPart);
  return meant.length >= MIN_LENGTH && !isPlural;
}

/** The letters of a word in alphabetical order, which two swapped letters do not change. */
const sortLetters = (word: string): string => [...word].sort().join('');

/** Whether `long` is `short` with one of its letters twice in a row. */
function isDoubled(long: string, short: string): boolean {
  if (long.length !== short.length + 1) return false;
  return [...short].some((letter, index) => long === short.slice(0, index) + letter + short.slice(index));
}
