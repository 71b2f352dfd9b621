// Requires that the certificate of the Noise handshake certifies the key that the server uses.
// Why: Baileys checks the signatures of the certificate chain, but never compares the key in the leaf certificate with
//   the static key of the server. The chain is no secret, because every client receives it. An intermediary that sends
//   it and uses a key of its own is accepted as WhatsApp. With a trusted TLS certificate, such an intermediary can read
//   and send messages.
// Upstream: docs/internals/upstream-security.md, "Signatures are not verified". Other clients compare the keys.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `processHandshake` compares the key in `leaf.details` with the decrypted static key.
import { Curve } from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import type { Logger } from 'pino';
import { proto } from '../proto.ts';
import { ForgedSignatureError, type VerifyMode } from './signature-verification.ts';

const { CertChain } = proto;
const original = { sharedKey: Curve.sharedKey, decode: CertChain.decode };

/**
 * Wraps the two functions that `processHandshake` calls directly after each other: the key agreement with the static
 * key of the server, and the decoding of the chain. With `strict`, a chain for another key fails the handshake: it
 * throws ForgedSignatureError, because no signature covers the key of the server. With `warn`, the chain is logged and
 * accepted. A chain that is decoded outside of a handshake is not compared. Applies to the whole process. A later call
 * changes the mode.
 */
export function installCertificateBinding({ verify: mode, log }: { verify: VerifyMode; log: Logger }): void {
  let serverKey: Uint8Array | undefined;
  Curve.sharedKey = (privateKey, publicKey) => {
    serverKey = publicKey;
    // The handshake decodes its chain in the same synchronous call. A chain that is decoded later belongs to no
    // handshake, so there is no key to compare with.
    queueMicrotask(() => (serverKey = undefined));
    return original.sharedKey(privateKey, publicKey);
  };
  CertChain.decode = (bytes, length) => {
    const chain = original.decode(bytes, length);
    const { leaf } = chain;
    // After the decoding, Baileys rejects a chain whose leaf is missing or has no details.
    if (!serverKey || !leaf?.details) return chain;
    const { key } = CertChain.NoiseCertificate.Details.decode(leaf.details);
    if (key && Buffer.from(key).equals(serverKey)) return chain;
    log.warn({ what: 'certificate of another key', refused: mode === 'strict' }, 'signature.check.failed');
    if (mode === 'strict') throw new ForgedSignatureError('certificate of another key');
    return chain;
  };
}
