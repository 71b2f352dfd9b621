// The identity of the server in the Noise handshake, which begins every connection: a static key and its certificate
// chain (root, intermediate, leaf).
import { Curve, proto } from '@whiskeysockets/baileys';
import { sign } from '../crypto/signing.ts';
import type { KeyPair } from '../world/model.ts';

const DAY_SECONDS = 86_400;

export interface Identity {
  /** Public key of the root, which clients must trust (32 bytes). */
  rootKey: Buffer;
  /** Noise key pair of the server, which the leaf certifies. */
  staticKey: KeyPair;
  /** Encoded CertChain with intermediate and leaf certificate, for the handshake. */
  chain: Uint8Array;
}

interface CertificateRequest {
  /** The public key to certify. */
  key: Uint8Array;
  serial: number;
  issuerSerial: number;
  issuer: KeyPair;
}

/**
 * Creates a certificate: its details and the issuer's signature. The certificate is valid for a year from yesterday.
 * `now` is in epoch seconds.
 */
function certify({ key, serial, issuerSerial, issuer }: CertificateRequest, now: number) {
  const notBefore = now - DAY_SECONDS;
  const details = proto.CertChain.NoiseCertificate.Details.encode({
    serial,
    issuerSerial,
    key,
    notBefore,
    notAfter: notBefore + 365 * DAY_SECONDS,
  }).finish();
  return { details, signature: sign(issuer.private, details) };
}

let processRoot: KeyPair | undefined;

/** All servers of this process have the same root, because a client process trusts only one root. */
function getProcessRoot(): KeyPair {
  processRoot ??= Curve.generateKeyPair();
  return processRoot;
}

export interface IdentityOptions {
  /** Whether the chain has a new root, which clients do not trust. By default, it has the root of this process. */
  hasForeignRoot?: boolean;
}

/** Creates the identity of a server with `staticKey`. `now` is in epoch seconds. */
export function createIdentity(
  now: number,
  staticKey: KeyPair,
  { hasForeignRoot = false }: IdentityOptions = {},
): Identity {
  const root = hasForeignRoot ? Curve.generateKeyPair() : getProcessRoot();
  const intermediate = Curve.generateKeyPair();
  const chain = proto.CertChain.encode({
    // The root has the serial 0. Clients check this value (WA_CERT_DETAILS.SERIAL in Baileys).
    intermediate: certify({ key: intermediate.public, serial: 1, issuerSerial: 0, issuer: root }, now),
    leaf: certify({ key: staticKey.public, serial: 2, issuerSerial: 1, issuer: intermediate }, now),
  }).finish();
  return { rootKey: Buffer.from(root.public), staticKey, chain };
}
