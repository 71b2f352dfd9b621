// Signatures of Baileys and libsignal in the processes of the unit tests. curve25519-js takes 9 ms for each, and every
// client that a test opens makes and checks several. The gateway replaces it (patches/xeddsa.ts), but most clients of
// tests are not patched. Only the arithmetic is replaced here: what Baileys and libsignal do with a result is theirs.
import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';
// Loaded first, because it keeps the published functions for a gateway whose own ones fail their self-test.
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
const published: Signatures = { ...library };

library.verify = xeddsa.verify;
// The third argument requests a randomized signature, which xeddsa.ts does not make.
library.sign = (key, message, random) => (random ? published.sign(key, message, random) : xeddsa.sign(key, message));

/** Signatures of the library as published until the test ends, for tests of another implementation. */
export function usePublishedSignatures(): void {
  const { sign, verify } = library;
  Object.assign(library, { sign: published.sign, verify: published.verify });
  onTestFinished(() => void Object.assign(library, { sign, verify }));
}
