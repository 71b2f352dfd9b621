// Decrypts the next message of a stored Signal session without libsignal, and without a transaction of Baileys.
// Decision D-183.
import type { AuthState } from './auth-state.ts';
import { identityKeyOf } from './identity-key.ts';
import {
  type Decrypted,
  type DecryptionContext,
  decryptNext,
  decryptNextPreKeyMessage,
  parsePreKeyMessage,
} from './session-decryption.ts';

/** An encrypted message of a device. */
export interface DeviceMessage {
  /** Signal address of the device. */
  address: string;
  /** A `pkmsg` contains the keys that start a session, a `msg` does not. */
  type: 'msg' | 'pkmsg';
  ciphertext: Uint8Array;
}

/**
 * Signal addresses of LIDs (ids that hide the number of a person): the domain `_1` marks a LID. This file handles only
 * such addresses. For the address of a number, Baileys has to look up whether the session is stored under the LID.
 */
const LID_ADDRESS = /_1\.\d+$/;

/**
 * Reads from the store into memory what decryptStored() needs. Returns undefined when nothing has to be read. Throws or
 * rejects when the WhatsApp session has ended (AuthState).
 */
export function loadSession(
  auth: Pick<AuthState, 'get' | 'peek'>,
  { address, type }: DeviceMessage,
): Promise<void> | undefined {
  if (!LID_ADDRESS.test(address)) return undefined;
  const isSessionMissing = auth.peek('session', address) === undefined;
  const isIdentityMissing = type === 'pkmsg' && auth.peek('identity-key', address) === undefined;
  if (!isSessionMissing && !isIdentityMissing) return undefined;
  const read = async () => {
    if (isSessionMissing) await auth.get('session', [address]);
    if (isIdentityMissing) await auth.get('identity-key', [address]);
  };
  return read();
}

/**
 * Decrypts a message with a stored session that loadSession() has read. Returns undefined when the session is not in
 * memory, and in all cases that decryptNext() leaves to libsignal. The caller must store the returned record before
 * any other change of the session.
 */
export function decryptStored(auth: Pick<AuthState, 'creds' | 'peek'>, message: DeviceMessage): Decrypted | undefined {
  const { address, type, ciphertext } = message;
  const record = LID_ADDRESS.test(address) ? auth.peek('session', address) : undefined;
  if (!record) return undefined;
  if (type === 'msg') return decryptNext(record, ciphertext, contextOf(auth));
  const preKeyMessage = parsePreKeyMessage(ciphertext);
  const identityKey = auth.peek('identity-key', address);
  // If the identity key of the device has changed, Baileys handles the message, and ends the sessions of the device.
  const isSameIdentity = identityKey instanceof Uint8Array && preKeyMessage?.identityKey.equals(identityKey);
  return isSameIdentity && preKeyMessage ? decryptNextPreKeyMessage(record, preKeyMessage, contextOf(auth)) : undefined;
}

const contextOf = ({ creds }: Pick<AuthState, 'creds'>): DecryptionContext => ({
  ownIdentityKey: identityKeyOf(creds),
  now: Date.now(),
});
