// The Noise identity of the server: a static key and its certificate chain (root, intermediate, leaf).
import { Curve, proto } from '@whiskeysockets/baileys';
import type { KeyPair } from '../model.ts';
import { sign } from '../signing.ts';

const DAY = 86_400;

export interface Identity {
  /** What clients must trust, 32 bytes. */
  rootKey: Buffer;
  staticKey: KeyPair;
  /** Encoded CertChain for the handshake. */
  chain: Uint8Array;
}

interface CertificateRequest {
  key: Uint8Array;
  serial: number;
  issuerSerial: number;
  issuer: KeyPair;
}

/**
 * One certificate: its details and the issuer's signature over them. Valid from yesterday for a year (Unix seconds).
 */
function certify({ key, serial, issuerSerial, issuer }: CertificateRequest, now: number) {
  const notBefore = now - DAY;
  const details = proto.CertChain.NoiseCertificate.Details.encode({
    serial,
    issuerSerial,
    key,
    notBefore,
    notAfter: notBefore + 365 * DAY,
  }).finish();
  return { details, signature: sign(issuer.private, details) };
}

let processRoot: KeyPair | undefined;

/** Every server of a process has the same root, because a process can trust only one. */
function ownRoot(): KeyPair {
  processRoot ??= Curve.generateKeyPair();
  return processRoot;
}

/**
 * A chain for `staticKey`, made once per server, from this process's root or from a `foreign` one. `now` in seconds.
 */
export function createIdentity(now: number, staticKey: KeyPair, foreign = false): Identity {
  const root = foreign ? Curve.generateKeyPair() : ownRoot();
  const middle = Curve.generateKeyPair();
  const chain = proto.CertChain.encode({
    // Clients insist on issuer serial 0 here: the root's (WA_CERT_DETAILS.SERIAL).
    intermediate: certify({ key: middle.public, serial: 1, issuerSerial: 0, issuer: root }, now),
    leaf: certify({ key: staticKey.public, serial: 2, issuerSerial: 1, issuer: middle }, now),
  }).finish();
  return { rootKey: Buffer.from(root.public), staticKey, chain };
}
