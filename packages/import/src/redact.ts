// Removes secrets and control characters from texts for the operator. Errors of database drivers may contain URLs, and
// names in a foreign database may contain escape sequences of terminals.

import { decodeUrlPart } from './url-part.ts';

const MASK = '***';
/** A shorter text occurs in other words, too. */
const MIN_SECRET_LENGTH = 4;
/** The password of a URL in a text. */
const URL_PASSWORD = /(:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}@/g;

/** Everything between the user and the last "@": parsers disagree about a password with "/", "@" or "#". */
const WRITTEN_PASSWORD = /^[a-z+]+:\/\/[^:/@]*:(.+)@/is;
/** The password among the parameters "host=… password=…" of PostgreSQL. */
const PASSWORD_PARAMETER = /\bpassword\s*=\s*('[^']*'|\S+)/i;

/** Returns the passwords in the address of a database as they are written and decoded; none for a path. */
export function passwordsOf(address: string | undefined): string[] {
  if (address === undefined) return [];
  const parsed = URL.canParse(address) ? new URL(address).password : undefined;
  if (parsed === '') return [];
  const [, written = ''] = WRITTEN_PASSWORD.exec(address) ?? PASSWORD_PARAMETER.exec(address) ?? [];
  const passwords = [written, parsed ?? ''].flatMap((one) => [one, decodeUrlPart(one) ?? '']);
  return [...new Set(passwords)].filter((one) => one !== '');
}

/** Returns a function that makes one line of text safe to print. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const masked = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
    return masked.replace(URL_PASSWORD, `$1${MASK}@`).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  };
}
