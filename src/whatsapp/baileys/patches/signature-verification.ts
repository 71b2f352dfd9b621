// Enforces signature checks.
// Why: `Curve.verify` of Baileys ignores the result of libsignal, and libsignal ignores the result for signed pre-keys.
//   Every certificate, account identity and key bundle is accepted, so that the server or an intermediary can
//   impersonate any contact.
// Upstream: a review comment in WhiskeySockets/Baileys pull request #2067 (open) describes the bug of `Curve.verify`;
//   not reported as an issue. Pull request #2208 (merged) added the check of certificates, which uses `Curve.verify`.
// Applies to: Baileys 7.0.0-rc14, libsignal 6.0.0.
// Remove when: `Curve.verify` returns the result of `verifySignature`, and `initOutgoing` throws for a wrong signature.
import { createRequire } from 'node:module';
import { Curve, generateSignalPubKey } from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import type { Logger } from 'pino';
import type { SignalRepositoryWithLIDStore, SocketConfig } from '../library.ts';
import * as xeddsa from './xeddsa.ts';

/**
 * `strict` rejects a wrong signature. `warn` logs and accepts it: a fallback for operators if WhatsApp changes its
 * keys.
 */
export type VerifyMode = 'strict' | 'warn';

type Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array, isInit?: boolean) => boolean;

/** CommonJS exports: mutable objects that libsignal reads at each call. Their ESM namespaces are frozen. */
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
// libsignal's verifySignature() calls the `verify` of curve25519-js that is installed at the time of the call.
const original = { ...libraries.curve25519, verifySignature: libraries.libsignalCurve.verifySignature };

/** Key material without a valid signature of its owner. */
export class ForgedSignatureError extends Error {
  constructor(subject: string) {
    super(`wrong signature: ${subject}`);
    this.name = 'ForgedSignature';
  }
}

// Signature of 'known answer' with the private key 07…07 (clamped). curve25519-js 0.0.4 accepts it.
const KNOWN_ANSWER = {
  privateKey: Buffer.from('0007070707070707070707070707070707070707070707070707070707070747', 'hex'),
  publicKey: Buffer.from('13be4feaeaf204c7fd3358fc9c00721881d174278128227ec674f37f7fe97b6d', 'hex'),
  message: Buffer.from('known answer'),
  signature: Buffer.from(
    '0a8d46cd866e02bb45d8b8f99662267c1da974f19f75a691e24fd4960889d951' +
      'f89d1698b735b099b35254d786d89778ce13cdb0a7b2495b60507ee35a0edb08',
    'hex',
  ),
};

/**
 * Number of further signatures that the self-test checks. Some have a negated nonce (`isNegative` in xeddsa.ts), the
 * others not.
 */
const SAMPLE_COUNT = 8;

/** True when `implementation` reproduces the known signature, rejects a changed one and accepts its own signatures. */
export function passesSelfTest(implementation: Pick<typeof xeddsa, 'sign' | 'verify'>): boolean {
  const { privateKey, publicKey, message, signature } = KNOWN_ANSWER;
  const changed = Buffer.from(signature);
  // Flipping any single bit makes the signature wrong.
  changed[40] = (changed[40] ?? 0) ^ 1;
  const samples = Array.from({ length: SAMPLE_COUNT }, (_, index) => Buffer.from([index]));
  try {
    return (
      signature.equals(implementation.sign(privateKey, message)) &&
      implementation.verify(publicKey, message, signature) &&
      !implementation.verify(publicKey, message, changed) &&
      !implementation.verify(publicKey, Buffer.from('another'), signature) &&
      samples.every((sample) => implementation.verify(publicKey, sample, implementation.sign(privateKey, sample)))
    );
  } catch {
    return false;
  }
}

/**
 * Replaces the signature functions of Baileys and libsignal on their module objects. The new functions use
 * `implementation` when it passes its self-test, and the original code otherwise. The self-test runs before the first
 * signature and not at the start, because it would take 3 % of the startup time. Applies to the whole process. Call it
 * before the first socket. Another call changes the mode.
 */
export function installSignatureVerification(options: {
  verify: VerifyMode;
  log: Logger;
  implementation?: Pick<typeof xeddsa, 'sign' | 'verify'>;
}): void {
  const { verify: mode, log, implementation = xeddsa } = options;
  let chosen: Libraries['curve25519'] | undefined;
  const chooseImplementation = (): Libraries['curve25519'] => {
    if (chosen) return chosen;
    const isUsable = passesSelfTest(implementation);
    if (!isUsable) log.warn('signature.self_test.failed');
    chosen = isUsable ? implementation : original;
    return chosen;
  };
  libraries.curve25519.verify = (key, message, signature) => chooseImplementation().verify(key, message, signature);
  // The optional third argument requests a randomized signature, which `implementation` does not make.
  libraries.curve25519.sign = (key, message, random) =>
    random ? original.sign(key, message, random) : chooseImplementation().sign(key, message);

  const accepts = (isValid: boolean, subject: string): boolean => {
    if (!isValid) log.warn({ what: subject, refused: mode === 'strict' }, 'signature.check.failed');
    return isValid || mode === 'warn';
  };
  // SessionBuilder.initOutgoing, the only caller with isInit, ignores the result. Only an exception stops it.
  libraries.libsignalCurve.verifySignature = (publicKey, message, signature, isInit) => {
    const isValid = original.verifySignature(publicKey, message, signature);
    if (isInit && !accepts(isValid, 'signed pre-key')) throw new ForgedSignatureError('signed pre-key');
    return isValid || (isInit === true && mode === 'warn');
  };
  Curve.verify = (publicKey, message, signature) => {
    let isValid = false;
    try {
      // Checks with the `verify` of curve25519-js that is installed above.
      isValid = original.verifySignature(Buffer.from(generateSignalPubKey(publicKey)), message, signature);
    } catch {
      // libsignal throws for malformed keys and signatures.
    }
    return accepts(isValid, 'certificate or account');
  };
}

/**
 * Keys with which no session can be started: keys with a wrong signature, keys of low order, and malformed keys.
 * createSession() in new-sessions.ts throws this error. `cause` is the error of libsignal; for a wrong signature, a
 * ForgedSignatureError.
 */
export class UnusableKeysError extends Error {
  constructor(cause: unknown) {
    super('unusable keys', { cause });
    this.name = 'UnusableKeys';
  }
}

/**
 * Wraps a factory of Signal repositories. The repositories skip a device with unusable keys, and the device gets no
 * copy of the message. Otherwise the message would fail for all devices, because Baileys adds the keys of all devices
 * in one call (parseAndInjectE2ESessions).
 */
export function skipUnusableKeys(
  create: SocketConfig['makeSignalRepository'],
  log: Logger,
): SocketConfig['makeSignalRepository'] {
  return (auth, logger, pnToLid): SignalRepositoryWithLIDStore => {
    const repository = create(auth, logger, pnToLid);
    const inject = repository.injectE2ESession.bind(repository);
    repository.injectE2ESession = async (bundle) => {
      try {
        await inject(bundle);
      } catch (err) {
        if (!(err instanceof UnusableKeysError)) throw err;
        // The address is personal data and is logged only at the level debug.
        log.warn({ err }, 'device.skipped');
        log.debug({ jid: bundle.jid }, 'device.skipped');
      }
    };
    return repository;
  };
}
