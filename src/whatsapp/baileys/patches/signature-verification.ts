// Makes signatures count. In Baileys 7.0.0-rc14 Curve.verify ignores libsignal's answer and libsignal skips the check of signed
// pre-keys, so any certificate, account or bundle is accepted; both are replaced here, on the live module objects.
import { createRequire } from 'node:module';
import type { SignalRepositoryWithLIDStore, SocketConfig } from '@whiskeysockets/baileys';
import { Curve, generateSignalPubKey } from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import type { Logger } from 'pino';
import * as xeddsa from './xeddsa.ts';

/** `strict` refuses a wrong signature; `warn` logs it and goes on (for the day the platform changes its keys). */
export type VerifyMode = 'strict' | 'warn';

type Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array, isInit?: boolean) => boolean;

/** CommonJS exports: plain mutable objects that libsignal reads at every call, unlike their frozen ESM views. */
interface Libraries {
  curve25519: { sign: (key: Uint8Array, message: Uint8Array, random?: Uint8Array) => Uint8Array; verify: Verify };
  libsignalCurve: { verifySignature: Verify };
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const requireFromLibsignal = createRequire(requireFromBaileys.resolve('libsignal'));
const libraries: Libraries = {
  curve25519: requireFromLibsignal('curve25519-js'),
  libsignalCurve: requireFromBaileys('libsignal/src/curve.js'),
};
const original = { ...libraries.curve25519, verifySignature: libraries.libsignalCurve.verifySignature };

/** Someone served key material that its owner did not sign. */
export class ForgedSignatureError extends Error {
  constructor(what: string) {
    super(`wrong signature: ${what}`);
    this.name = 'ForgedSignature';
  }
}

// The private key 07…07 (clamped) signs 'known answer'; curve25519-js 0.0.4 accepts it.
const knownAnswer = {
  privateKey: Buffer.from('0007070707070707070707070707070707070707070707070707070707070747', 'hex'),
  publicKey: Buffer.from('13be4feaeaf204c7fd3358fc9c00721881d174278128227ec674f37f7fe97b6d', 'hex'),
  message: Buffer.from('known answer'),
  signature: Buffer.from(
    '0a8d46cd866e02bb45d8b8f99662267c1da974f19f75a691e24fd4960889d951' +
      'f89d1698b735b099b35254d786d89778ce13cdb0a7b2495b60507ee35a0edb08',
    'hex',
  ),
};

/** Signatures that must be right besides the known one: both halves of the nonces (xeddsa.ts) occur among them. */
const sampleCount = 8;

/** True when `crypto` gives the known answer, refuses a damaged one, and accepts what it signs itself. */
export function passesSelfTest(crypto: Pick<typeof xeddsa, 'sign' | 'verify'>): boolean {
  const { privateKey, publicKey, message, signature } = knownAnswer;
  const damaged = Buffer.from(signature);
  damaged[40] = (damaged[40] ?? 0) ^ 1;
  const samples = Array.from({ length: sampleCount }, (_, n) => Buffer.from([n]));
  try {
    return (
      signature.equals(crypto.sign(privateKey, message)) &&
      crypto.verify(publicKey, message, signature) &&
      !crypto.verify(publicKey, message, damaged) &&
      !crypto.verify(publicKey, Buffer.from('another'), signature) &&
      samples.every((sample) => crypto.verify(publicKey, sample, crypto.sign(privateKey, sample)))
    );
  } catch {
    return false;
  }
}

/**
 * Makes every signature check of Baileys and libsignal real, and fast when `crypto` passes its self-test (the originals stay otherwise).
 * Process-wide; call it before the first socket. Calling it again changes the mode. Returns whether the fast code is in use.
 */
export function installSignatureVerification(options: { verify: VerifyMode; log: Logger; crypto?: typeof xeddsa }): {
  fast: boolean;
} {
  const { verify: mode, log, crypto = xeddsa } = options;
  const fast = passesSelfTest(crypto);
  if (!fast) log.warn('signature.self_test_failed');
  libraries.curve25519.verify = fast ? crypto.verify : original.verify;
  // The optional third argument asks for a randomised signature, which only the original makes.
  libraries.curve25519.sign = (key, message, random) =>
    fast && !random ? crypto.sign(key, message) : original.sign(key, message, random);

  const accept = (valid: boolean, what: string): boolean => {
    if (!valid) log.warn({ what, refused: mode === 'strict' }, 'signature.wrong');
    return valid || mode === 'warn';
  };
  // Only SessionBuilder.initOutgoing passes isInit, and it ignores the answer: it must be told by throwing.
  libraries.libsignalCurve.verifySignature = (publicKey, message, signature, isInit) => {
    const valid = original.verifySignature(publicKey, message, signature);
    if (isInit && !accept(valid, 'signed pre-key')) throw new ForgedSignatureError('signed pre-key');
    return valid || (isInit === true && mode === 'warn');
  };
  Curve.verify = (publicKey, message, signature) => {
    let valid = false;
    try {
      valid = original.verifySignature(Buffer.from(generateSignalPubKey(publicKey)), message, signature);
    } catch {
      // Malformed keys and signatures throw in libsignal; they are as wrong as any other.
    }
    return accept(valid, 'certificate or account');
  };
  return { fast };
}

/**
 * A signal repository whose forged bundles cost only the device they name: without a session that device gets no copy,
 * while a throw here would fail the whole message (parseAndInjectE2ESessions handles all devices in one go).
 */
export function skipForgedBundles(
  make: SocketConfig['makeSignalRepository'],
  log: Logger,
): SocketConfig['makeSignalRepository'] {
  return (auth, logger, pnToLid): SignalRepositoryWithLIDStore => {
    const repository = make(auth, logger, pnToLid);
    const inject = repository.injectE2ESession.bind(repository);
    repository.injectE2ESession = async (bundle) => {
      try {
        await inject(bundle);
      } catch (err) {
        if (!(err instanceof ForgedSignatureError)) throw err;
        log.warn({ err }, 'device.skipped');
        log.debug({ jid: bundle.jid }, 'device.skipped');
      }
    };
    return repository;
  };
}
