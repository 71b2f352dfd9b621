// Error-prone values: texts, numbers, JIDs, URLs and bytes at the limits of the allowed ranges and beyond them.
import type { Random } from '../support/random.ts';

/** Names of existing accounts, groups and channels, to which cases refer. */
export interface Names {
  /** Phone numbers of the attacked instances. */
  numbers: readonly string[];
  lids: readonly string[];
  groups: readonly string[];
  channels: readonly string[];
  /** Phone numbers of the phones that send messages. */
  phones: readonly string[];
  /** Base URL of the pages and files that the fuzzer serves. */
  site: string;
}

const LONG_SIZES = [255, 1_000, 4_096, 65_536, 300_000] as const;

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\n',
  '\u202egnp.exe',
  '\u200b\u200d\ufeff',
  'é'.normalize('NFD'),
  '👩‍👩‍👧‍👦',
  '../../../../etc/passwd',
  '..\\..\\windows',
  'CON',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e400',
  '9007199254740993',
  '<script>alert(1)</script>',
  "'; DROP TABLE message; --",
  '%00%0a%2e%2e%2f',
  '%',
  '{{7*7}}#{7*7}',
  '@',
  '@@',
  ':',
  '0@',
  '*bold _it ~s `c',
  '{"a":1}',
  '[',
  'true',
  'BEGIN:VCARD\nVERSION:3.0\nFN:\nTEL;waid=:\nEND:VCARD',
] as const;

/** Characters and pairs whose repetition makes naive regular expressions quadratic. */
const REPEATED = [
  ' ',
  '.',
  ')',
  ']',
  '(',
  '<',
  '&',
  '=',
  '/',
  '\\',
  '@',
  ',',
  '\n',
  '-',
  'a',
  '1',
  '%',
  '😀',
  'a ',
  '):',
] as const;

export function text(random: Random, names: Names): string {
  switch (random.int(9)) {
    case 0:
    case 1:
      return random.pick(TEXTS);
    case 2:
      return jid(random, names);
    case 3:
      return messageId(random);
    case 4:
      return url(random, names);
    case 5:
      return longText(random);
    case 6:
      // A lone surrogate, which UTF-8 cannot encode.
      return `x${random.pick(['\ud800', '\udc00', '\ud83d'])}y`;
    case 7:
      return random.bytes(random.int(12)).toString('latin1');
    default:
      return `text ${random.int(1000)}`;
  }
}

function longText(random: Random): string {
  const size = random.chance(0.05) ? random.pick(LONG_SIZES) : random.int(400);
  const part = random.pick(REPEATED);
  const repeated = part.repeat(Math.ceil(size / part.length));
  return random.chance(0.5)
    ? `${random.pick(['https://a.example/', 'x', '@', ' '])}${repeated}${random.pick(['', 'x', '!', '\n'])}`
    : repeated;
}

const SERVERS = [
  's.whatsapp.net',
  'lid',
  'g.us',
  'newsletter',
  'broadcast',
  'c.us',
  'hosted',
  'hosted.lid',
  'bot',
  'call',
  'interop',
  'msgr',
  'nowhere',
  '',
] as const;

export function jid(random: Random, names: Names): string {
  switch (random.int(10)) {
    case 0:
    case 1:
      return `${random.pick(names.phones)}@s.whatsapp.net`;
    case 2:
      return `${random.pick(names.numbers)}@s.whatsapp.net`;
    case 3:
      return `${random.pick(names.lids)}@lid`;
    case 4:
      return random.pick([...names.groups, ...names.channels]);
    case 5:
      return random.pick([
        'status@broadcast',
        's.whatsapp.net',
        '@s.whatsapp.net',
        '@g.us',
        '@',
        '0@s.whatsapp.net',
        'server@c.us',
        '13135550002@bot',
      ]);
    case 6:
      return `${random.pick(names.phones)}:${random.pick(['0', '1', '99', '256', '65536', '-1', 'x', ''])}@${random.pick(SERVERS)}`;
    case 7:
      return `${random.pick(names.phones)}_${random.int(300)}:${random.int(300)}@${random.pick(SERVERS)}`;
    case 8:
      return `${random.pick(['', '0', 'a', '-', '120363', '9'.repeat(40)])}@${random.pick(SERVERS)}`;
    default:
      return `${random.pick(names.phones)}@${random.pick(SERVERS)}`;
  }
}

/** Returns the id of a message that the fuzzer sends, or an unused id. */
export function messageId(random: Random): string {
  return random.chance(0.7) ? `F${random.int(300)}` : random.pick(['', '0', 'x'.repeat(300), '\0', 'F\n1', '3EB0']);
}

const PAGES = [
  'page.html',
  'deep.html',
  'bomb.svg',
  'broken.png',
  'small.jpg',
  'wide.png',
  'endless',
  'redirect',
  'status/500',
  'text.txt',
];

/** Returns a URL, often of a page that the fuzzer serves with hostile content. */
export function url(random: Random, names: Names): string {
  const base = random.pick([
    names.site,
    names.site,
    names.site,
    'https://a.example',
    'http://169.254.169.254',
    'http://[::1]:1',
    'file://',
    'ftp://x',
    'javascript:',
    'data:text/html,',
  ]);
  return `${base}/${random.pick(PAGES)}${random.pick(['', '?', '#', `?q=${'%'.repeat(random.int(30))}`, ')))', '.', ',,', ']}'])}`;
}

const WHOLE_NUMBERS = [
  0,
  1,
  -1,
  2,
  127,
  128,
  255,
  256,
  65_535,
  65_536,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 32 - 1,
  1_700_000_000,
  1_700_000_000_000,
];

/** Returns an integer, sometimes outside the range of a field. */
export const wholeNumber = (random: Random): number =>
  random.chance(0.7) ? random.pick(WHOLE_NUMBERS) : random.int(2 ** 31);

const REAL_NUMBERS = [
  0,
  -0,
  1.5,
  -1e308,
  1e-320,
  90,
  -180,
  181,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

export const realNumber = (random: Random): number => random.pick(REAL_NUMBERS);

/** Returns bytes with typical lengths of keys, hashes and pictures, and with other lengths. */
export function blob(random: Random): Buffer {
  const size = random.pick([0, 1, 12, 16, 31, 32, 32, 33, 64, 200, 1_000]);
  return random.chance(0.05) ? Buffer.alloc(random.pick([65_536, 200_000]), random.int(256)) : random.bytes(size);
}
