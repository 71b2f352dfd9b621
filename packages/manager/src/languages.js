// The languages of the page. This module selects one by the browser's settings, and puts values into the texts.
// packages/manager/test/ checks the texts.
import { EN } from './text-en.js';
import { ES } from './text-es.js';
import { PT_BR } from './text-pt-br.js';

/** @typedef {import('./types.d.ts').Texts} Texts */
/** @typedef {import('./types.d.ts').TextKey} TextKey */
/** @typedef {import('./types.d.ts').TextValues} TextValues */

/**
 * By language tag; `name` is what speakers of the language call it.
 * @type {Record<string, { name: string, texts: Texts }>}
 */
export const LANGUAGES = {
  en: { name: 'English', texts: EN },
  'pt-BR': { name: 'Português (Brasil)', texts: PT_BR },
  es: { name: 'Español', texts: ES },
};

/** @param {string} tag */
const baseOf = (tag) => tag.toLowerCase().split('-', 1)[0];

/**
 * The first language of `wanted` that the page has, compared without region; English when the page has none of them.
 * @param {readonly string[]} wanted language tags, most wanted first
 */
export function pickLanguage(wanted) {
  const found = wanted.map((tag) => Object.keys(LANGUAGES).find((each) => baseOf(each) === baseOf(tag)));
  return found.find((each) => each !== undefined) ?? 'en';
}

/** Whether Intl accepts the tag. Some tags of browsers are invalid, such as `en-US@posix`. @param {string} tag */
function isValid(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/**
 * The locale for dates and numbers: the first valid tag in `wanted` for this language, with its region if it has one.
 * Without such a tag, it is `language`.
 * @param {string} language
 * @param {readonly string[]} wanted language tags, most wanted first
 */
export const pickLocale = (language, wanted) =>
  wanted.find((tag) => baseOf(tag) === baseOf(language) && isValid(tag)) ?? language;

/**
 * A text in a language. Replaces each placeholder, such as `{instance}`, by the value with this name. The value `count`
 * selects the plural form.
 * @param {string} language
 * @param {string} locale for the format of numbers
 * @param {TextKey} key
 * @param {TextValues} values
 */
export function formatText(language, locale, key, values) {
  /** @type {import('./types.d.ts').Text} */
  const text = (LANGUAGES[language]?.texts ?? EN)[key];
  const count = Number(values.count);
  const form = typeof text === 'string' ? text : (text[new Intl.PluralRules(language).select(count)] ?? text.other);
  const numberFormat = new Intl.NumberFormat(locale);
  return form.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? numberFormat.format(value) : value;
  });
}
