// The client side of the Noise handshakes. It implements them with node:crypto, because tests use it to check the
// implementations of the sandbox and Baileys.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from 'node:crypto';
import { Curve, proto } from '@whiskeysockets/baileys';

interface KeyPair {
  public: Uint8Array;
  private: Uint8Array;
}

const HEADER = Buffer.from([0x57, 0x41, 6, 3]);
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

function computeSharedSecret(own: KeyPair, other: Uint8Array): Buffer {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, own.private]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, other]), format: 'der', type: 'spki' });
  return diffieHellman({ privateKey, publicKey });
}

/** An AES-GCM key with its counter. */
class Cipher {
  readonly #key: Buffer;
  #count = 0;

  constructor(key: Buffer) {
    this.#key = key;
  }

  encrypt(plain: Uint8Array, aad: Buffer = Buffer.alloc(0)): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, this.#iv()).setAAD(aad);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  decrypt(sealed: Uint8Array, aad: Buffer = Buffer.alloc(0)): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, this.#iv()).setAAD(aad);
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  }

  #iv(): Buffer {
    const iv = Buffer.alloc(12);
    iv.writeUInt32BE(this.#count++, 8);
    return iv;
  }
}

/** The symmetric state of a handshake with the Noise name `name`. */
class Transcript {
  #hash: Buffer;
  #salt: Buffer;
  #cipher: Cipher;

  constructor(name: string) {
    const bytes = Buffer.from(name);
    const start = bytes.length > 32 ? sha256(bytes) : Buffer.concat([bytes, Buffer.alloc(32 - bytes.length)]);
    this.#hash = start;
    this.#salt = start;
    this.#cipher = new Cipher(start);
    this.mixHash(HEADER);
  }

  mixHash(data: Uint8Array): void {
    this.#hash = sha256(this.#hash, data);
  }

  mixKey(shared: Uint8Array): void {
    const [salt, key] = this.split(shared);
    this.#salt = salt;
    this.#cipher = new Cipher(key);
  }

  encrypt(plain: Uint8Array): Buffer {
    const sealed = this.#cipher.encrypt(plain, this.#hash);
    this.mixHash(sealed);
    return sealed;
  }

  decrypt(sealed: Uint8Array): Buffer {
    const plain = this.#cipher.decrypt(sealed, this.#hash);
    this.mixHash(sealed);
    return plain;
  }

  split(input: Uint8Array = Buffer.alloc(0)): [Buffer, Buffer] {
    const keys = Buffer.from(hkdfSync('sha256', input, this.#salt, '', 64));
    return [keys.subarray(0, 32), keys.subarray(32)];
  }
}

const encode = (message: proto.IHandshakeMessage) => Buffer.from(proto.HandshakeMessage.encode(message).finish());

/** A handshake and the encryption after it. `pattern` is undefined until the handshake is complete. */
export class NoiseClient {
  pattern: 'XX' | 'IK' | 'XXfallback' | undefined;
  /** The server's static key: at first the key with which the client resumes, later the key that the server sent. */
  serverKey: Uint8Array | undefined;
  readonly #static: KeyPair;
  readonly #payload: Uint8Array;
  readonly #ephemeral = Curve.generateKeyPair();
  #transcript = new Transcript('Noise_XX_25519_AESGCM_SHA256');
  #outgoing: Cipher | undefined;
  #incoming: Cipher | undefined;

  /** With `serverKey`, the client tries to resume in one round trip (IK). */
  constructor(staticKey: KeyPair, payload: Uint8Array, serverKey?: Uint8Array) {
    this.#static = staticKey;
    this.#payload = payload;
    this.serverKey = serverKey;
  }

  /** Creates the client hello. */
  hello(): Buffer {
    const ephemeral = this.#ephemeral.public;
    if (!this.serverKey) {
      this.#transcript.mixHash(ephemeral);
      return encode({ clientHello: { ephemeral } });
    }
    this.#transcript = new Transcript('Noise_IK_25519_AESGCM_SHA256');
    this.#transcript.mixHash(this.serverKey);
    this.#transcript.mixHash(ephemeral);
    this.#transcript.mixKey(computeSharedSecret(this.#ephemeral, this.serverKey));
    const sealedStatic = this.#transcript.encrypt(this.#static.public);
    this.#transcript.mixKey(computeSharedSecret(this.#static, this.serverKey));
    return encode({
      clientHello: { ephemeral, static: sealedStatic, payload: this.#transcript.encrypt(this.#payload) },
    });
  }

  /** Reads the server hello and returns the client finish; undefined for IK, which has none. */
  finish(frame: Uint8Array): Buffer | undefined {
    const hello = proto.HandshakeMessage.decode(frame).serverHello;
    if (!hello?.ephemeral || !hello.payload) throw new Error('incomplete server hello');
    if (this.serverKey && !hello.static) return void this.#finishResumed(hello.ephemeral, hello.payload);
    if (!hello.static) throw new Error('server hello without a static key');
    this.pattern = this.serverKey ? 'XXfallback' : 'XX';
    if (this.serverKey) {
      this.#transcript = new Transcript('Noise_XXfallback_25519_AESGCM_SHA256');
      this.#transcript.mixHash(this.#ephemeral.public);
    }
    this.#transcript.mixHash(hello.ephemeral);
    this.#transcript.mixKey(computeSharedSecret(this.#ephemeral, hello.ephemeral));
    this.serverKey = this.#transcript.decrypt(hello.static);
    this.#transcript.mixKey(computeSharedSecret(this.#ephemeral, this.serverKey));
    assertCertified(this.#transcript.decrypt(hello.payload), this.serverKey);
    const sealedStatic = this.#transcript.encrypt(this.#static.public);
    this.#transcript.mixKey(computeSharedSecret(this.#static, hello.ephemeral));
    const clientFinish = { static: sealedStatic, payload: this.#transcript.encrypt(this.#payload) };
    this.#split();
    return encode({ clientFinish });
  }

  encrypt(plain: Uint8Array): Buffer {
    if (!this.#outgoing) throw new Error('the handshake is not done');
    return this.#outgoing.encrypt(plain);
  }

  decrypt(sealed: Uint8Array): Buffer {
    if (!this.#incoming) throw new Error('the handshake is not done');
    return this.#incoming.decrypt(sealed);
  }

  #finishResumed(ephemeral: Uint8Array, payload: Uint8Array): void {
    this.pattern = 'IK';
    this.#transcript.mixHash(ephemeral);
    this.#transcript.mixKey(computeSharedSecret(this.#ephemeral, ephemeral));
    this.#transcript.mixKey(computeSharedSecret(this.#static, ephemeral));
    this.#transcript.decrypt(payload);
    this.#split();
  }

  #split(): void {
    const [outgoing, incoming] = this.#transcript.split();
    this.#outgoing = new Cipher(outgoing);
    this.#incoming = new Cipher(incoming);
  }
}

function assertCertified(chain: Uint8Array, key: Uint8Array): void {
  const { leaf } = proto.CertChain.decode(chain);
  const details = proto.CertChain.NoiseCertificate.Details.decode(leaf?.details ?? Buffer.alloc(0));
  if (!details.key || !Buffer.from(key).equals(details.key)) throw new Error('the certificate is for another key');
}
