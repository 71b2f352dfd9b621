// Faster signatures for Baileys and libsignal in the processes of the unit tests. curve25519-js takes 9 ms for each,
// and every client of a test makes and checks several. The gateway replaces it (patches/xeddsa.ts), but most clients of
// tests are not patched. Only the arithmetic is replaced here. Baileys and libsignal handle the results as before.
import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';
// This import comes first, because it keeps the published functions for a gateway whose own functions fail a self-test.
import '../../src/whatsapp/baileys/patches/signature-verification.ts';
import * as xeddsa from '../../src/whatsapp/baileys/patches/xeddsa.ts';

interface Signatures {
  sign: (key: Uint8Array, message: Uint8Array, random?: Uint8Array) => Uint8Array;
  verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const requireFromLibsignal = createRequire(requireFromBaileys.resolve('libsignal'));
/** The exports that libsignal reads at each call. */
const library: Signatures = requireFromLibsignal('curve25519-js');
const publishedFunctions: Signatures = { ...library };

library.verify = xeddsa.verify;
// The third argument requests a randomized signature, which xeddsa.ts does not make.
library.sign = (key, message, random) =>
  random ? publishedFunctions.sign(key, message, random) : xeddsa.sign(key, message);

/** Restores the published functions of the library until the test ends, for tests of another implementation. */
export function usePublishedSignatures(): void {
  const { sign, verify } = library;
  Object.assign(library, { sign: publishedFunctions.sign, verify: publishedFunctions.verify });
  onTestFinished(() => void Object.assign(library, { sign, verify }));
}
