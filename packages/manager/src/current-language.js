// The current language of the page: the reader's choice, else the browser's language. Components look up their texts at
// each rendering, so that a new choice is visible at once.
import { formatText, LANGUAGES, pickLanguage, pickLocale } from './languages.js';

/** @typedef {import('./types.d.ts').TextKey} TextKey */
/** @typedef {import('./types.d.ts').TextValues} TextValues */

const STORAGE_KEY = 'gateway.language';

const chosen = localStorage.getItem(STORAGE_KEY);
let language = pickLanguage(chosen ? [chosen, ...navigator.languages] : navigator.languages);
document.documentElement.lang = language;

/** The language tag of the page. */
export const currentLanguage = () => language;

/** The locale for dates and numbers. */
export const currentLocale = () => pickLocale(language, navigator.languages);

/** Switches the page and remembers the choice in this browser. @param {string} next a key of `LANGUAGES` */
export function setLanguage(next) {
  if (!Object.hasOwn(LANGUAGES, next)) return;
  language = next;
  document.documentElement.lang = next;
  localStorage.setItem(STORAGE_KEY, next);
}

/** The text for `key` with `values` in the language of the page. @param {TextKey} key @param {TextValues} [values] */
export const t = (key, values = {}) => formatText(language, currentLocale(), key, values);
