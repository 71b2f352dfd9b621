import { Curve, proto } from '@whiskeysockets/baileys';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIdentity } from '../../../../packages/sandbox/src/wire/certificate.ts';
import { installCertificateBinding } from '../../../../src/whatsapp/baileys/patches/certificate-binding.ts';
import { ForgedSignatureError } from '../../../../src/whatsapp/baileys/patches/signature-verification.ts';
import { readableLog, silent } from '../../../support/session-fakes.ts';

beforeEach(() => void installCertificateBinding({ verify: 'strict', log: silent }));
afterEach(() => void installCertificateBinding({ verify: 'strict', log: silent }));

describe('installCertificateBinding', () => {
  const client = Curve.generateKeyPair();
  const server = Curve.generateKeyPair();
  const { chain } = createIdentity(1_767_225_600, server);

  /** Decodes a certificate chain after a key agreement with a server that has the static key `key`. */
  const decodeChain = (key: Uint8Array, bytes = chain) => {
    Curve.sharedKey(client.private, key);
    return proto.CertChain.decode(bytes);
  };

  it('installCertificateBinding() accepts a certificate chain with the key of the server', () => {
    expect(decodeChain(server.public).leaf?.details).toBeDefined();
  });

  it('installCertificateBinding() rejects a certificate chain with another key, and a leaf without a key', () => {
    expect(() => decodeChain(Curve.generateKeyPair().public)).toThrow(ForgedSignatureError);
    const details = proto.CertChain.NoiseCertificate.Details.encode({ serial: 2 }).finish();
    const withoutKey = proto.CertChain.encode({ leaf: { details, signature: new Uint8Array(64) } }).finish();
    expect(() => decodeChain(server.public, withoutKey)).toThrow(ForgedSignatureError);
  });

  it('installCertificateBinding() does not reject a certificate chain without a leaf', () => {
    expect(decodeChain(server.public, new Uint8Array()).leaf ?? null).toBeNull();
  });

  it('installCertificateBinding() accepts and logs a certificate chain with another key in the mode warn', () => {
    const { log, lines } = readableLog('warn');
    installCertificateBinding({ verify: 'warn', log });
    expect(decodeChain(Curve.generateKeyPair().public).leaf?.details).toBeDefined();
    expect(lines).toMatchObject([{ msg: 'signature.check.failed', refused: false }]);
  });
});
