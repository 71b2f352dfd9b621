// The server's side of the Noise handshakes XX, IK and XXfallback (25519, AES-GCM, SHA-256), and the encryption of
// frames after them.
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { Curve, proto } from '@whiskeysockets/baileys';
import type { Identity } from './certificate.ts';
import { FrameTooLargeError, MAX_FRAME, NOISE_HEADER } from './frame.ts';

/**
 * The handshakes of clients. `XX`: the client does not know the server's static key. `IK`: the client knows the key
 * from an earlier handshake and resumes in one round trip. `XXfallback`: the client tried IK with a key that is not the
 * server's current one, and the handshake continues as XX.
 */
type Pattern = 'XX' | 'IK' | 'XXfallback';
const NOTHING = Buffer.alloc(0);
/** Size of the authentication tag of AES-GCM in bytes. */
const TAG_LENGTH = 16;

const sha256 = (...parts: Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The nonce: 8 zero bytes and the counter (big-endian). */
function ivOf(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}

/** Encrypts with AES-256-GCM. `aad` is additional data that the tag authenticates. */
function seal(key: Buffer, counter: number, plain: Uint8Array, aad: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, ivOf(counter));
  cipher.setAAD(aad);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Reverses seal(). Throws Error when the tag is wrong. */
function open(key: Buffer, counter: number, sealed: Uint8Array, aad: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, ivOf(counter), { authTagLength: TAG_LENGTH });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_LENGTH));
  return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_LENGTH)), decipher.final()]);
}

/** Encrypts and decrypts frames after the handshake, with one key per direction. */
export class Transport {
  readonly #incoming: Buffer;
  readonly #outgoing: Buffer;
  #received = 0;
  #sent = 0;

  constructor(incoming: Buffer, outgoing: Buffer) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  /** Encrypts the next frame. When `plain` does not fit, throws FrameTooLargeError and does not count the frame. */
  encrypt(plain: Uint8Array): Buffer {
    if (plain.length + TAG_LENGTH > MAX_FRAME)
      throw new FrameTooLargeError(`${plain.length} bytes do not fit in a frame`);
    return seal(this.#outgoing, this.#sent++, plain, NOTHING);
  }

  /** Decrypts the client's next frame. Throws Error for any other bytes. */
  decrypt(sealed: Uint8Array): Buffer {
    return open(this.#incoming, this.#received++, sealed, NOTHING);
  }
}

export interface HandshakeResult {
  /** The client's Noise static key, 32 bytes: its identity at login. */
  clientStatic: Buffer;
  /** The client's login or registration data. */
  payload: proto.ClientPayload;
  transport: Transport;
}

/** What the server does with a client hello. */
export interface HelloAnswer {
  /** The encoded server hello. */
  reply: Buffer;
  /** Set when the client resumed: the handshake is complete. Undefined when the client must still send its finish. */
  result: HandshakeResult | undefined;
}

/**
 * One handshake: hello() takes the client's first frame, finish() the second one. A client that resumes sends no second
 * frame. Both functions throw Error when the frame is malformed or forged.
 */
export class Handshake {
  readonly #identity: Identity;
  readonly #ephemeral = Curve.generateKeyPair();
  #transcript = new Transcript('XX');

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** Takes the client hello and answers it. */
  hello(frame: Buffer): HelloAnswer {
    const { clientHello } = proto.HandshakeMessage.decode(frame);
    const clientEphemeral = requireBytes(clientHello?.ephemeral);
    // Only a client that resumes (IK) sends its static key and its payload in the hello.
    if (clientHello?.static?.length || clientHello?.payload?.length) {
      const opened = this.#openResumption(
        clientEphemeral,
        requireBytes(clientHello.static),
        requireBytes(clientHello.payload),
      );
      if (opened) return this.#answerResumption(clientEphemeral, opened);
      this.#transcript = new Transcript('XXfallback');
    }
    return { reply: this.#answerHello(clientEphemeral), result: undefined };
  }

  /** Takes the client finish and returns the client's key, its login or registration data, and the transport cipher. */
  finish(frame: Buffer): HandshakeResult {
    const { clientFinish } = proto.HandshakeMessage.decode(frame);
    const clientStatic = this.#transcript.open(requireBytes(clientFinish?.static));
    this.#transcript.mixKey(this.#ephemeral.private, clientStatic);
    return this.#resultOf(clientStatic, this.#transcript.open(requireBytes(clientFinish?.payload)));
  }

  #answerHello(clientEphemeral: Uint8Array): Buffer {
    const { staticKey, chain } = this.#identity;
    this.#transcript.mixHash(clientEphemeral);
    this.#transcript.mixHash(this.#ephemeral.public);
    this.#transcript.mixKey(this.#ephemeral.private, clientEphemeral);
    const sealedStatic = this.#transcript.seal(staticKey.public);
    this.#transcript.mixKey(staticKey.private, clientEphemeral);
    // The payload of a server hello is the certificate chain.
    const payload = this.#transcript.seal(chain);
    return encodeServerHello({ ephemeral: this.#ephemeral.public, static: sealedStatic, payload });
  }

  /**
   * Decrypts an IK hello and continues with its transcript. Undefined when the hello was not encrypted for the server's
   * current static key.
   */
  #openResumption(clientEphemeral: Uint8Array, sealedStatic: Uint8Array, sealedPayload: Uint8Array) {
    const { staticKey } = this.#identity;
    const transcript = new Transcript('IK');
    transcript.mixHash(staticKey.public);
    transcript.mixHash(clientEphemeral);
    transcript.mixKey(staticKey.private, clientEphemeral);
    try {
      const clientStatic = transcript.open(sealedStatic);
      transcript.mixKey(staticKey.private, clientStatic);
      const payload = transcript.open(sealedPayload);
      this.#transcript = transcript;
      return { clientStatic, payload };
    } catch {
      return undefined;
    }
  }

  #answerResumption(
    clientEphemeral: Uint8Array,
    { clientStatic, payload }: { clientStatic: Buffer; payload: Buffer },
  ): HelloAnswer {
    this.#transcript.mixHash(this.#ephemeral.public);
    this.#transcript.mixKey(this.#ephemeral.private, clientEphemeral);
    this.#transcript.mixKey(this.#ephemeral.private, clientStatic);
    const sealedChain = this.#transcript.seal(this.#identity.chain);
    const reply = encodeServerHello({ ephemeral: this.#ephemeral.public, payload: sealedChain });
    return { reply, result: this.#resultOf(clientStatic, payload) };
  }

  #resultOf(clientStatic: Buffer, payload: Buffer): HandshakeResult {
    return {
      clientStatic,
      payload: proto.ClientPayload.decode(payload),
      transport: this.#transcript.toTransport(),
    };
  }
}

/**
 * The symmetric state of a handshake: the hash of all that was exchanged, and the key that results from the shared
 * secrets so far. mixHash(), mixKey() and toTransport() are the functions MixHash, MixKey and Split of the Noise
 * specification, and `#salt` is its chaining key.
 */
class Transcript {
  #hash: Buffer;
  #salt: Buffer;
  #key: Buffer;
  #counter = 0;

  constructor(pattern: Pattern) {
    const name = Buffer.from(`Noise_${pattern}_25519_AESGCM_SHA256`);
    // Noise pads a name of up to 32 bytes with zeros and hashes a longer one.
    const start = name.length > 32 ? sha256(name) : Buffer.concat([name], 32);
    [this.#hash, this.#salt, this.#key] = [start, start, start];
    // The prologue of the handshake.
    this.mixHash(NOISE_HEADER);
  }

  mixHash(data: Uint8Array): void {
    this.#hash = sha256(this.#hash, data);
  }

  /** Mixes the Diffie-Hellman secret of a private and a public key into `#salt`, and derives a new `#key`. */
  mixKey(privateKey: Uint8Array, publicKey: Uint8Array): void {
    const shared = Curve.sharedKey(Buffer.from(privateKey), Buffer.from(publicKey));
    [this.#salt, this.#key] = this.#derive(shared);
    this.#counter = 0;
  }

  seal(plain: Uint8Array): Buffer {
    const sealed = seal(this.#key, this.#counter++, plain, this.#hash);
    this.mixHash(sealed);
    return sealed;
  }

  open(sealed: Uint8Array): Buffer {
    const plain = open(this.#key, this.#counter++, sealed, this.#hash);
    this.mixHash(sealed);
    return plain;
  }

  toTransport(): Transport {
    const [incoming, outgoing] = this.#derive(NOTHING);
    return new Transport(incoming, outgoing);
  }

  #derive(input: Uint8Array): [Buffer, Buffer] {
    const keys = Buffer.from(hkdfSync('sha256', input, this.#salt, '', 64));
    return [keys.subarray(0, 32), keys.subarray(32)];
  }
}

const encodeServerHello = (serverHello: proto.HandshakeMessage.IServerHello): Buffer =>
  Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish());

function requireBytes(bytes: Uint8Array | null | undefined): Uint8Array {
  if (!bytes?.length) throw new Error('the handshake message has a missing field');
  return bytes;
}
