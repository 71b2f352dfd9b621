// Encrypts messages with a stored sender key: the key with which this account encrypts for one group. A sender key
// contains a chain of keys, and each message uses the next position of the chain. The result is the same as that of
// GroupCipher.encrypt() of Baileys rc14 at the same position. For each message, Baileys also creates a key distribution
// message, parses the record of the key three times, and skips a position. This file avoids that. Decision D-187.
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

/** The members of a stored state (one version of the sender key) that a message needs. */
interface SendingState {
  keyId: number;
  /** The position of the next message in the chain. */
  iteration: number;
  /** The key at this position. */
  chainKey: Buffer;
  privateKey: Buffer;
}

const isUint32 = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_UINT32;

/**
 * Encrypts `plaintext` with the newest state of `record`, a list of states that codec.ts has encoded. Returns the
 * ciphertext and the record for the next message. This record must be stored before the ciphertext is sent, because a
 * key must not encrypt two messages. Returns undefined when `record` has another form, or no private key.
 */
export function encryptWithSenderKey(
  record: Uint8Array,
  plaintext: Uint8Array,
): { ciphertext: Buffer; record: Buffer } | undefined {
  const states = parse(record);
  const state: unknown = Array.isArray(states) ? states.at(-1) : undefined;
  const sending = isObject(state) ? toSendingState(state) : undefined;
  if (!isObject(state) || !sending) return undefined;
  const { keyId, iteration, chainKey, privateKey } = sending;
  const messageKey = hmac(chainKey, MESSAGE_KEY_SEED);
  const keys = Buffer.from(hkdfSync('sha256', messageKey, SALT, KEYS_INFO, IV_LENGTH + KEY_LENGTH));
  const cipher = createCipheriv('aes-256-cbc', keys.subarray(IV_LENGTH), keys.subarray(0, IV_LENGTH));
  const message = new FieldWriter(VERSION_BYTE);
  message.number(SENDER_KEY_MESSAGE.id, keyId);
  message.number(SENDER_KEY_MESSAGE.iteration, iteration);
  message.bytes(SENDER_KEY_MESSAGE.ciphertext, cipher.update(plaintext), cipher.final());
  const signed = message.finish();
  const nextChainKey = hmac(chainKey, CHAIN_KEY_SEED).toString('base64');
  // `state` is a part of `states`, which become the next record.
  state.senderChainKey = { iteration: iteration + 1, seed: { type: 'Buffer', data: nextChainKey } };
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
  const chainKey = toKey(senderChainKey.seed);
  const privateKey = toKey(senderSigningKey.private);
  if (!isUint32(senderKeyId) || !isUint32(iteration) || iteration === MAX_UINT32 || !chainKey || !privateKey)
    return undefined;
  return { keyId: senderKeyId, iteration, chainKey, privateKey };
}

/** Returns 32 bytes that are stored as base64. Undefined for anything else, such as a list of numbers. */
function toKey(value: unknown): Buffer | undefined {
  if (!isObject(value) || value.type !== 'Buffer' || typeof value.data !== 'string') return undefined;
  const bytes = Buffer.from(value.data, 'base64');
  return bytes.length === KEY_LENGTH ? bytes : undefined;
}
