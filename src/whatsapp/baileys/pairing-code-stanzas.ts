// Builds the query with which this client asks for a link by pairing code, and reads the answer. This file replaces
// requestPairingCode() of Baileys for two reasons. requestPairingCode() returns the code before WhatsApp has answered,
// so a refused code looks like a valid one. It also sends `browser[0]`, the name in the list of linked devices, as the
// name of the system. WhatsApp refuses names of systems that it does not know with 400 (measured in pull request 2769
// of Baileys, for 7.0.0-rc14).
import { randomBytes } from 'node:crypto';
import { type AuthenticationCreds, aesEncryptCTR, bytesToCrockford, derivePairingCodeKey } from './library.ts';
import { childOf, type Stanza } from './stanza.ts';

/** Sizes in bytes. A code of five bytes has eight characters. */
const CODE_SIZE = 5;
const SALT_SIZE = 32;
const IV_SIZE = 16;
const CHROME = { id: '1', browser: 'Chrome', system: 'Windows' };
/** Numbers and names of the browsers that WhatsApp knows, with a system on which they exist. */
const PLATFORMS = [
  CHROME,
  { id: '2', browser: 'Edge', system: 'Windows' },
  { id: '3', browser: 'Firefox', system: 'Windows' },
  { id: '5', browser: 'Opera', system: 'Windows' },
  { id: '6', browser: 'Safari', system: 'Mac OS' },
];

/** The keys of the credentials that the query contains. */
type PairingCodeKeys = Pick<AuthenticationCreds, 'pairingEphemeralKeyPair' | 'noiseKey'>;

/**
 * Creates a pairing code of eight characters, and the query that makes the phone of the account `jid` expect this code.
 * `browser` is the browser name in the list of linked devices; a name that WhatsApp does not know becomes Chrome.
 */
export async function createPairingCode(
  { pairingEphemeralKeyPair, noiseKey }: PairingCodeKeys,
  jid: string,
  browser: string,
): Promise<{ code: string; query: Stanza }> {
  const code = bytesToCrockford(randomBytes(CODE_SIZE));
  const salt = randomBytes(SALT_SIZE);
  const iv = randomBytes(IV_SIZE);
  const encryptedKey = aesEncryptCTR(pairingEphemeralKeyPair.public, await derivePairingCodeKey(code, salt), iv);
  const wrappedKey = Buffer.concat([salt, iv, encryptedKey]);
  const name = browser.toLowerCase();
  const platform = PLATFORMS.find((known) => known.browser.toLowerCase() === name) ?? CHROME;
  const element = (tag: string, content: string | Uint8Array): Stanza => ({ tag, attrs: {}, content });
  return {
    code,
    query: {
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'md' },
      content: [
        {
          tag: 'link_code_companion_reg',
          attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
          content: [
            element('link_code_pairing_wrapped_companion_ephemeral_pub', wrappedKey),
            element('companion_server_auth_key_pub', noiseKey.public),
            element('companion_platform_id', platform.id),
            element('companion_platform_display', `${platform.browser} (${platform.system})`),
            // WhatsApp Web and whatsmeow send one zero byte; Baileys sends the character 0.
            element('link_code_pairing_nonce', Buffer.alloc(1)),
          ],
        },
      ],
    },
  };
}

/** Returns true when WhatsApp expects the code: its answer contains the reference of the link. */
export const isPairingCodeAccepted = (answer: Stanza): boolean =>
  childOf(childOf(answer, 'link_code_companion_reg'), 'link_code_pairing_ref') !== undefined;
