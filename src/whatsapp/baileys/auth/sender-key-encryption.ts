// Encrypts messages with a stored sender key (the account's key of a group), with the same result as
// GroupCipher.encrypt() of Baileys rc14 at the same position of the chain. Baileys creates a key distribution message
// for each message, parses the record three times, and skips a position of the chain for each message. Decision D-187.
import { createCipheriv, hkdfSync } from 'node:crypto';
import { isObject } from '../../../lib/json-object.ts';
import { Curve } from '../library.ts';
import { FieldWriter } from '../protobuf-fields.ts';
import { CHAIN_KEY_SEED, hmac, MESSAGE_KEY_SEED, VERSION_BYTE } from './signal-message.ts';

/** Tags of the fields of SenderKeyMessage: the field number times 8, plus the wire type. */
const SENDER_KEY_MESSAGE = { id: 8, iteration: 16, ciphertext: 26 } as const;
/** Salt and info of the HKDF key derivation. */
const SALT = Buffer.alloc(32);
const KEYS_INFO = Buffer.from('WhisperGroup');
/** Lengths in bytes. */
const IV_LENGTH = 16;
const KEY_LENGTH = 32;
const MAX_UINT32 = 0xffff_ffff;

/** The members of a stored state that a message needs. */
interface SendingState {
  keyId: number;
  iteration: number;
  /** The chain key of the next message. */
  seed: Buffer;
  privateKey: Buffer;
}

const isUint32 = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_UINT32;

/**
 * Encrypts `plaintext` with the newest state of a sender key record that codec.ts has encoded. Returns the ciphertext
 * and the record for the next message. This record must be stored before the ciphertext is sent, because a key must not
 * encrypt two messages. Returns undefined when `record` has another form, or no private key.
 */
export function encryptWithSenderKey(
  record: Uint8Array,
  plaintext: Uint8Array,
): { ciphertext: Buffer; record: Buffer } | undefined {
  const states = parse(record);
  const state: unknown = Array.isArray(states) ? states.at(-1) : undefined;
  const sending = isObject(state) ? toSendingState(state) : undefined;
  if (!isObject(state) || !sending) return undefined;
  const { keyId, iteration, seed, privateKey } = sending;
  const keys = Buffer.from(hkdfSync('sha256', hmac(seed, MESSAGE_KEY_SEED), SALT, KEYS_INFO, IV_LENGTH + KEY_LENGTH));
  const cipher = createCipheriv('aes-256-cbc', keys.subarray(IV_LENGTH), keys.subarray(0, IV_LENGTH));
  const message = new FieldWriter(VERSION_BYTE);
  message.number(SENDER_KEY_MESSAGE.id, keyId);
  message.number(SENDER_KEY_MESSAGE.iteration, iteration);
  message.bytes(SENDER_KEY_MESSAGE.ciphertext, cipher.update(plaintext), cipher.final());
  const signed = message.finish();
  const nextSeed = hmac(seed, CHAIN_KEY_SEED).toString('base64');
  // `state` is a part of `states`, which become the next record.
  state.senderChainKey = { iteration: iteration + 1, seed: { type: 'Buffer', data: nextSeed } };
  return {
    ciphertext: Buffer.concat([signed, Curve.sign(privateKey, signed)]),
    record: Buffer.from(JSON.stringify(states)),
  };
}

function parse(record: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(record.buffer, record.byteOffset, record.byteLength).toString());
  } catch {
    return undefined;
  }
}

function toSendingState({
  senderKeyId,
  senderChainKey,
  senderSigningKey,
}: Record<string, unknown>): SendingState | undefined {
  if (!isObject(senderChainKey) || !isObject(senderSigningKey)) return undefined;
  const { iteration } = senderChainKey;
  const seed = toKey(senderChainKey.seed);
  const privateKey = toKey(senderSigningKey.private);
  if (!isUint32(senderKeyId) || !isUint32(iteration) || iteration === MAX_UINT32 || !seed || !privateKey)
    return undefined;
  return { keyId: senderKeyId, iteration, seed, privateKey };
}

/** Returns 32 bytes that are stored as base64. Undefined for anything else, such as a list of numbers. */
function toKey(value: unknown): Buffer | undefined {
  if (!isObject(value) || value.type !== 'Buffer' || typeof value.data !== 'string') return undefined;
  const bytes = Buffer.from(value.data, 'base64');
  return bytes.length === KEY_LENGTH ? bytes : undefined;
}
