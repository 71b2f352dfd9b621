// Removes secrets and control characters from texts for the operator. Errors of database drivers may contain URLs with
// passwords, and names in a foreign database may contain terminal escape sequences.
import { decodeUrlPart } from './url-part.ts';

const MASK = '***';
/** Secrets with fewer characters are not masked, because they occur in ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** The password of a URL anywhere in a text. */
const URL_PASSWORD = /(:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}@/g;

/**
 * The password of a database URL, before decoding. It ends at the last "@": parsers disagree about the end of a
 * password that contains "/", "@" or "#", and masking too much is safe.
 */
const WRITTEN_PASSWORD = /^[a-z+]+:\/\/[^:/@]*:(.+)@/is;
/** The password among the parameters "host=… password=…" of PostgreSQL. */
const PASSWORD_PARAMETER = /\bpassword\s*=\s*('[^']*'|\S+)/i;

/** Returns the password of a database address in two forms, as written and decoded. Returns [] without a password. */
export function passwordsOf(address: string | undefined): string[] {
  if (address === undefined) return [];
  const parsed = URL.canParse(address) ? new URL(address).password : undefined;
  // The address is a valid URL without a password.
  if (parsed === '') return [];
  const [, written = ''] = WRITTEN_PASSWORD.exec(address) ?? PASSWORD_PARAMETER.exec(address) ?? [];
  const passwords = [written, parsed ?? ''].flatMap((one) => [one, decodeUrlPart(one) ?? '']);
  return [...new Set(passwords)].filter((one) => one !== '');
}

/** Returns a function that turns a text into one line that is safe to print. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const masked = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
    return masked.replace(URL_PASSWORD, `$1${MASK}@`).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  };
}
