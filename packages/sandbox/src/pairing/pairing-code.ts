// Links a client by pairing code. Phone and client agree on a secret: they exchange public keys that are encrypted with
// a key from the eight-character code that the client shows. This file contains the side of phone and server.
import { createDecipheriv, hkdfSync, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { aesEncryptCTR, type BinaryNode, Curve, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { bytesOfSize, childBytes, element, SERVER } from '../lib/binary-node.ts';
import type { Clock } from '../lib/clock.ts';
import { type Answer, StanzaError } from '../stanzas/router.ts';
import type { Account, World } from '../world/model.ts';
import { type Hello, PairingError, type Registration } from './registration.ts';

/** Iterations of PBKDF2, with which a key is derived from the code. */
const ITERATIONS = 131_072;
/** Sizes in bytes. */
const SALT_LENGTH = 32;
const CTR_IV_LENGTH = 16;
const GCM_IV_LENGTH = 12;
const GCM_TAG_LENGTH = 16;
const KEY_LENGTH = 32;
/**
 * The display name of the client, `browser (system)`. Both parts must be known names: in 2026, WhatsApp refused
 * `Chrome (Acme)` with 400 and accepted `Chrome (Windows)` and `Chrome (Linux)`. Source: Baileys pull request 2769 and
 * whatsapp-rust pull request 979.
 */
const COMPANION_NAME =
  /^(Chrome|Edge|Firefox|IE|Opera|Safari) \((Windows|Mac OS|macOS|Linux|Ubuntu|Debian|Fedora|Chrome OS|Android|iOS)\)$/;
/** Time for the client to answer the phone's key with its key bundle (both identity keys and random bytes). */
const KEY_BUNDLE_TIMEOUT_MS = 10_000;
/**
 * Time that a phone waits for the client's request (`companion_hello`), because a client shows the code before its
 * request arrives.
 */
const HELLO_TIMEOUT_MS = 500;
/** Info text of the key derivation (HKDF) for the key bundle. */
const BUNDLE_INFO = 'link_code_pairing_key_bundle_encryption_key';

export interface CodePairing {
  /** Answers the client's requests; undefined for an unknown one. */
  answer(registration: Registration, iq: BinaryNode): Answer | undefined;
  /**
   * Agrees on the ADV secret, which authenticates the link, with the client that shows this code. Rejects with
   * PairingError.
   */
  agreeOnSecret(account: Account, code: string): Promise<{ registration: Registration; advSecret: Uint8Array }>;
}

export interface CodePairingOptions {
  world: World;
  clock: Clock;
  /** All clients that wait to be linked. The `hello` of a client is its request for linking by pairing code. */
  registrations(): Iterable<Registration>;
}

/** Derives the encryption key from a pairing code. */
const deriveKey = (code: string, salt: Buffer) => promisify(pbkdf2)(code, salt, ITERATIONS, KEY_LENGTH, 'sha256');

/** Finds the request for a pairing code of a phone number. Can wait for a request that has not arrived yet. */
class PendingCodeRequests {
  readonly #clock: Clock;
  readonly #registrations: CodePairingOptions['registrations'];
  readonly #waiters = new Set<() => void>();

  constructor({ clock, registrations }: CodePairingOptions) {
    this.#clock = clock;
    this.#registrations = registrations;
  }

  /** Makes every waiting phone look for a new request. */
  notify(): void {
    for (const check of this.#waiters) check();
  }

  /** The newest request for the number, if there is one. */
  find(number: string): { registration: Registration; hello: Hello } | undefined {
    const registration = [...this.#registrations()].findLast(({ hello }) => hello?.number === number);
    return registration?.hello && { registration, hello: registration.hello };
  }

  /** Resolves with the newest request for the number; undefined when none arrives in time. */
  async waitFor(number: string): Promise<ReturnType<PendingCodeRequests['find']>> {
    const existing = this.find(number);
    if (existing) return existing;
    const arrived = Promise.withResolvers<void>();
    const check = () => {
      if (this.find(number)) arrived.resolve();
    };
    const timer = this.#clock.after(HELLO_TIMEOUT_MS, arrived.resolve);
    this.#waiters.add(check);
    await arrived.promise;
    this.#waiters.delete(check);
    timer.cancel();
    return this.find(number);
  }
}

export function createCodePairing(options: CodePairingOptions): CodePairing {
  const { world, clock } = options;
  const codeRequests = new PendingCodeRequests(options);
  return {
    answer(registration, iq) {
      const request = getBinaryNodeChild(iq, 'link_code_companion_reg');
      if (request?.attrs.stage === 'companion_hello') {
        const hello = readHello(registration, request);
        if (!hello) throw new StanzaError(400);
        registration.hello = hello;
        codeRequests.notify();
        const reference = element('link_code_pairing_ref', {}, hello.ref);
        return { content: [element('link_code_companion_reg', {}, [reference])] };
      }
      if (request?.attrs.stage !== 'companion_finish') return undefined;
      const bundle = readFinish(registration, request);
      const onKeyBundle = registration.hello?.onKeyBundle;
      if (!bundle || !onKeyBundle) throw new StanzaError(400);
      return { after: () => onKeyBundle(bundle) };
    },
    async agreeOnSecret(account, code) {
      const pending = await codeRequests.waitFor(account.number);
      if (!pending) throw new PairingError('stale', `no client waits for a pairing code of ${account.number}`);
      const { registration, hello } = pending;
      const normalizedCode = code.replaceAll('-', '').toUpperCase();
      const ephemeral = Curve.generateKeyPair();
      const companionEphemeral = await decryptCompanionKey(hello.wrappedKey, normalizedCode);
      const salt = randomBytes(SALT_LENGTH);
      const iv = randomBytes(CTR_IV_LENGTH);
      const encryptedKey = aesEncryptCTR(ephemeral.public, await deriveKey(normalizedCode, salt), iv);
      const wrappedKey = Buffer.concat([salt, iv, encryptedKey]);
      const primaryHello = createPrimaryHello(world, account, wrappedKey, hello.ref);
      const bundle = await exchangeKeys(clock, registration, hello, primaryHello);
      const shared = Curve.sharedKey(ephemeral.private, companionEphemeral);
      const advSecret = deriveAdvSecret(account, registration, shared, bundle);
      if (!advSecret) throw new PairingError('wrong_code', 'this is not the pairing code that the client shows');
      return { registration, advSecret };
    },
  };
}

/**
 * Reads the request `companion_hello`. Undefined for a request that WhatsApp refuses, and for a request in which
 * `companion_server_auth_key_pub` is not the client's Noise key.
 */
function readHello({ connection }: Registration, request: BinaryNode): Hello | undefined {
  const field = 'link_code_pairing_wrapped_companion_ephemeral_pub';
  const wrappedKey = bytesOfSize(childBytes(request, field), SALT_LENGTH + CTR_IV_LENGTH + KEY_LENGTH);
  const number = request.attrs.jid?.split('@')[0];
  const name = childBytes(request, 'companion_platform_display')?.toString() ?? '';
  const hasNoiseKey = childBytes(request, 'companion_server_auth_key_pub')?.equals(connection.clientStatic);
  const isValid = wrappedKey && number && hasNoiseKey && COMPANION_NAME.test(name);
  return isValid ? { number, wrappedKey, ref: randomBytes(16), onKeyBundle: undefined } : undefined;
}

/** Reads the key bundle of `companion_finish`; undefined when identity key or reference are not those of the client. */
function readFinish({ identity, hello }: Registration, request: BinaryNode): Buffer | undefined {
  const hasIdentity = childBytes(request, 'companion_identity_public')?.equals(identity);
  const hasRef = hello && childBytes(request, 'link_code_pairing_ref')?.equals(hello.ref);
  return hasIdentity && hasRef ? childBytes(request, 'link_code_pairing_wrapped_key_bundle') : undefined;
}

/** Decrypts the client's ephemeral key. `wrappedKey` consists of the salt, the IV and the encrypted key. */
async function decryptCompanionKey(wrappedKey: Buffer, code: string): Promise<Buffer> {
  const key = await deriveKey(code, wrappedKey.subarray(0, SALT_LENGTH));
  const keyStart = SALT_LENGTH + CTR_IV_LENGTH;
  // With a wrong code, the result is a wrong key, because CTR mode does not detect errors. The error is detected when
  // the bundle cannot be decrypted.
  const decipher = createDecipheriv('aes-256-ctr', key, wrappedKey.subarray(SALT_LENGTH, keyStart));
  return Buffer.concat([decipher.update(wrappedKey.subarray(keyStart)), decipher.final()]);
}

/** Sends the phone's keys and waits for the client's key bundle. */
function exchangeKeys(
  clock: Clock,
  registration: Registration,
  hello: Hello,
  primaryHello: BinaryNode,
): Promise<Buffer> {
  const { connection } = registration;
  return new Promise((resolve, reject) => {
    const fail = () => reject(new PairingError('refused', 'the client did not answer the phone'));
    const timer = clock.after(KEY_BUNDLE_TIMEOUT_MS, fail);
    connection.onClose(fail);
    hello.onKeyBundle = (bundle) => {
      timer.cancel();
      resolve(bundle);
    };
    connection.send(primaryHello);
  });
}

/** The notification with the phone's keys: the encrypted ephemeral key and the identity key. */
function createPrimaryHello(world: World, account: Account, wrappedKey: Buffer, ref: Buffer): BinaryNode {
  const attrs = { from: SERVER, type: 'link_code_companion_reg', id: world.nextId(), t: String(world.now()) };
  const content = [
    element('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrappedKey),
    element('primary_identity_pub', {}, account.identity().public),
    element('link_code_pairing_ref', {}, ref),
  ];
  return element('notification', attrs, [element('link_code_companion_reg', { stage: 'primary_hello' }, content)]);
}

/**
 * Derives the ADV secret (which authenticates the link) from the client's key bundle and `shared`, the shared secret of
 * the two ephemeral keys. Undefined when the bundle cannot be decrypted or contains other identity keys.
 */
function deriveAdvSecret(
  account: Account,
  registration: Registration,
  shared: Buffer,
  bundle: Buffer,
): Buffer | undefined {
  const { identity } = registration;
  const sealedStart = SALT_LENGTH + GCM_IV_LENGTH;
  const key = Buffer.from(hkdfSync('sha256', shared, bundle.subarray(0, SALT_LENGTH), BUNDLE_INFO, KEY_LENGTH));
  const plain = decryptGcm(key, bundle.subarray(SALT_LENGTH, sealedStart), bundle.subarray(sealedStart));
  if (plain?.length !== 3 * KEY_LENGTH) return undefined;
  const [clientKey, phoneKey, random] = [0, 1, 2].map((part) =>
    plain.subarray(part * KEY_LENGTH, (part + 1) * KEY_LENGTH),
  );
  const phone = account.identity();
  if (!random || !clientKey?.equals(identity) || !phoneKey?.equals(phone.public)) return undefined;
  const identitySecret = Curve.sharedKey(Buffer.from(phone.private), identity);
  const input = Buffer.concat([shared, identitySecret, random]);
  return Buffer.from(hkdfSync('sha256', input, '', 'adv_secret', KEY_LENGTH));
}

/** Decrypts bytes that end with an authentication tag; undefined when the key or the tag is wrong. */
function decryptGcm(key: Buffer, iv: Buffer, sealed: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: GCM_TAG_LENGTH });
    decipher.setAuthTag(sealed.subarray(-GCM_TAG_LENGTH));
    return Buffer.concat([decipher.update(sealed.subarray(0, -GCM_TAG_LENGTH)), decipher.final()]);
  } catch {
    return undefined;
  }
}
