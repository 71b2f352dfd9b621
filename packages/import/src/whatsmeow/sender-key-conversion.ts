// Converts sender keys (the keys of one sender's messages to a group) between whatsmeow and Baileys. A sender key is a
// list of states, the versions of the key. whatsmeow stores the newest state first, Baileys stores it last (D-179).
import type { BundleSenderKeyState } from '../../../../src/session-bundle/bundle.ts';
import { MAX_SENDER_KEY_STATES, MAX_SKIPPED_KEYS, type SenderKeyState } from './session-record.ts';

/** Converts the states of whatsmeow. `skipped` are the keys of messages that have not arrived yet. */
export const toBundleSenderKey = (states: readonly SenderKeyState[]): BundleSenderKeyState[] =>
  states.toReversed().map((state) => ({
    senderKeyId: state.keyId,
    senderChainKey: { iteration: state.iteration, seed: base64(state.seed) },
    senderSigningKey: {
      public: base64(state.signingKey),
      ...(state.signingPrivateKey ? { private: base64(state.signingPrivateKey) } : {}),
    },
    senderMessageKeys: state.skipped.map(({ iteration, seed }) => ({ iteration, seed: base64(seed) })),
  }));

/** Converts the states of Baileys. Keeps the newest states, as many as whatsmeow stores. */
export const fromBundleSenderKey = (states: readonly BundleSenderKeyState[]): SenderKeyState[] =>
  states
    .slice(-MAX_SENDER_KEY_STATES)
    .toReversed()
    .map(({ senderKeyId, senderChainKey, senderSigningKey, senderMessageKeys }) => ({
      keyId: senderKeyId,
      iteration: senderChainKey.iteration,
      seed: bytes(senderChainKey.seed),
      signingKey: bytes(senderSigningKey.public),
      ...(senderSigningKey.private ? { signingPrivateKey: bytes(senderSigningKey.private) } : {}),
      skipped: senderMessageKeys
        .slice(-MAX_SKIPPED_KEYS)
        .map(({ iteration, seed }) => ({ iteration, seed: bytes(seed) })),
    }));

const base64 = (value: Buffer): string => value.toString('base64');
const bytes = (value: string): Buffer => Buffer.from(value, 'base64');
