// A device with real Signal sessions. It uses libsignal and keeps its keys in memory.
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { calculateSignature, generateKeyPair } from 'libsignal/src/curve.js';
import type { BundleSession } from '../../../../src/session-bundle/bundle.ts';

export interface SignalMessage {
  isPreKeyMessage: boolean;
  body: Buffer;
}

interface SignalKeyPair {
  privKey: Buffer;
  pubKey: Buffer;
}

const PRE_KEY_MESSAGE = 3;

export class SignalDevice {
  readonly address: string;
  readonly identity: SignalKeyPair = createKeyPair();
  readonly registrationId: number;
  readonly signedPreKey: SignalKeyPair = createKeyPair();
  readonly preKeys = new Map<number, SignalKeyPair>();
  /** Sessions by the address of the other device, as libsignal serializes them. */
  readonly sessions = new Map<string, BundleSession>();
  #nextPreKeyId = 1;

  constructor(address: string, registrationId: number) {
    this.address = address;
    this.registrationId = registrationId;
  }

  /** Starts a session with another device. The messages are pre-key messages until the other device answers. */
  async start(other: SignalDevice, options: { oneTimeKey?: boolean } = {}): Promise<void> {
    await this.#builder(other).initOutgoing(other.#preKeyBundle(options.oneTimeKey ?? true));
  }

  async encrypt(other: SignalDevice, text: string): Promise<SignalMessage> {
    const { type, body } = await this.#cipher(other).encrypt(Buffer.from(text));
    return { isPreKeyMessage: type === PRE_KEY_MESSAGE, body: Buffer.from(body, 'binary') };
  }

  async decrypt(other: SignalDevice, { isPreKeyMessage, body }: SignalMessage): Promise<string> {
    const cipher = this.#cipher(other);
    const plaintext = isPreKeyMessage
      ? await cipher.decryptPreKeyWhisperMessage(body)
      : await cipher.decryptWhisperMessage(body);
    return plaintext.toString();
  }

  /** Encrypts a message for `other` and decrypts it there. Resolves with the decrypted text. */
  async send(other: SignalDevice, text: string): Promise<string> {
    return other.decrypt(this, await this.encrypt(other, text));
  }

  /** The record of the sessions with `other`. */
  sessionWith(other: SignalDevice): BundleSession {
    const session = this.sessions.get(other.address);
    if (!session) throw new Error(`no session with ${other.address}`);
    return session;
  }

  #preKeyBundle(oneTimeKey: boolean) {
    const signature = calculateSignature(this.identity.privKey, this.signedPreKey.pubKey);
    const keyId = this.#nextPreKeyId++;
    const preKey = createKeyPair();
    if (oneTimeKey) this.preKeys.set(keyId, preKey);
    const bundle = {
      registrationId: this.registrationId,
      identityKey: this.identity.pubKey,
      signedPreKey: { keyId: 1, publicKey: this.signedPreKey.pubKey, signature },
      preKey: { keyId, publicKey: preKey.pubKey },
    };
    if (!oneTimeKey) Reflect.deleteProperty(bundle, 'preKey');
    return bundle;
  }

  #storage(): SignalStorage {
    return {
      loadSession: async (id) => {
        const session = this.sessions.get(id);
        return session && Reflect.apply(SessionRecord.deserialize, SessionRecord, [structuredClone(session)]);
      },
      storeSession: async (id, record) => {
        const serialized: unknown = record.serialize();
        this.sessions.set(id, JSON.parse(JSON.stringify(serialized)));
      },
      isTrustedIdentity: () => true,
      loadPreKey: async (id) => this.preKeys.get(Number(id)),
      removePreKey: (id) => void this.preKeys.delete(id),
      loadSignedPreKey: () => this.signedPreKey,
      getOurRegistrationId: () => this.registrationId,
      getOurIdentity: () => this.identity,
    };
  }

  #addressOf({ address }: SignalDevice): ProtocolAddress {
    const [user = '', device] = address.split('.');
    return new ProtocolAddress(user, Number(device));
  }

  #cipher = (other: SignalDevice) => new SessionCipher(this.#storage(), this.#addressOf(other));
  #builder = (other: SignalDevice) => new SessionBuilder(this.#storage(), this.#addressOf(other));
}

function createKeyPair(): SignalKeyPair {
  const { pubKey, privKey } = generateKeyPair();
  return { pubKey: Buffer.from(pubKey), privKey: Buffer.from(privKey) };
}
