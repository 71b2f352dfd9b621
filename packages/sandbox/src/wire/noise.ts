// The server's side of the Noise XX handshake (25519, AES-GCM, SHA-256), and the encryption of frames after it.
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { Curve, proto } from '@whiskeysockets/baileys';
import type { Identity } from './certificate.ts';
import { NOISE_HEADER } from './frame.ts';

/** Name of the protocol. Noise uses it unhashed, because it has exactly 32 bytes. */
const PROTOCOL = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0');
const NOTHING = Buffer.alloc(0);
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

function seal(key: Buffer, counter: number, plain: Uint8Array, aad: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, ivOf(counter));
  cipher.setAAD(aad);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

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

  encrypt(plain: Uint8Array): Buffer {
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
  payload: proto.ClientPayload;
  transport: Transport;
}

/**
 * One handshake: hello() takes the client's first frame, finish() the second. Both throw Error when the frame is
 * malformed or forged.
 */
export class Handshake {
  readonly #identity: Identity;
  readonly #ephemeral = Curve.generateKeyPair();
  #hash: Buffer = PROTOCOL;
  #salt: Buffer = PROTOCOL;
  #key: Buffer = PROTOCOL;
  #counter = 0;

  constructor(identity: Identity) {
    this.#identity = identity;
    this.#mixHash(NOISE_HEADER);
  }

  /** Takes the client hello and returns the encoded server hello. */
  hello(frame: Buffer): Buffer {
    const clientEphemeral = required(proto.HandshakeMessage.decode(frame).clientHello?.ephemeral);
    this.#mixHash(clientEphemeral);
    this.#mixHash(this.#ephemeral.public);
    this.#mixKey(this.#ephemeral.private, clientEphemeral);
    const { staticKey, chain } = this.#identity;
    const sealedStatic = this.#seal(staticKey.public);
    this.#mixKey(staticKey.private, clientEphemeral);
    const payload = this.#seal(chain);
    const serverHello = { ephemeral: this.#ephemeral.public, static: sealedStatic, payload };
    return Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish());
  }

  /** Takes the client finish and returns the client's key, its login or registration data, and the transport cipher. */
  finish(frame: Buffer): HandshakeResult {
    const { clientFinish } = proto.HandshakeMessage.decode(frame);
    const clientStatic = this.#open(required(clientFinish?.static));
    this.#mixKey(this.#ephemeral.private, clientStatic);
    const payload = proto.ClientPayload.decode(this.#open(required(clientFinish?.payload)));
    const [incoming, outgoing] = this.#derive(NOTHING);
    return { clientStatic, payload, transport: new Transport(incoming, outgoing) };
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = sha256(this.#hash, data);
  }

  #mixKey(privateKey: Uint8Array, publicKey: Uint8Array): void {
    const shared = Curve.sharedKey(Buffer.from(privateKey), Buffer.from(publicKey));
    [this.#salt, this.#key] = this.#derive(shared);
    this.#counter = 0;
  }

  #derive(input: Uint8Array): [Buffer, Buffer] {
    const keys = Buffer.from(hkdfSync('sha256', input, this.#salt, '', 64));
    return [keys.subarray(0, 32), keys.subarray(32)];
  }

  #seal(plain: Uint8Array): Buffer {
    const sealed = seal(this.#key, this.#counter++, plain, this.#hash);
    this.#mixHash(sealed);
    return sealed;
  }

  #open(sealed: Uint8Array): Buffer {
    const plain = open(this.#key, this.#counter++, sealed, this.#hash);
    this.#mixHash(sealed);
    return plain;
  }
}

function required(bytes: Uint8Array | null | undefined): Uint8Array {
  if (!bytes?.length) throw new Error('handshake message lacks a field');
  return bytes;
}
