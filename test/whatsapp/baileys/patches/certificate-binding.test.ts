import { Curve, proto } from '@whiskeysockets/baileys';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIdentity } from '../../../../packages/sandbox/src/wire/certificate.ts';
import { installCertificateBinding } from '../../../../src/whatsapp/baileys/patches/certificate-binding.ts';
import { ForgedSignatureError } from '../../../../src/whatsapp/baileys/patches/signature-verification.ts';
import { readableLog, silent } from '../../fakes.ts';

beforeEach(() => void installCertificateBinding({ verify: 'strict', log: silent }));
afterEach(() => void installCertificateBinding({ verify: 'strict', log: silent }));

describe('installCertificateBinding', () => {
  const client = Curve.generateKeyPair();
  const server = Curve.generateKeyPair();
  const { chain } = createIdentity(1_767_225_600, server);

  /** Decodes the chain as a client does whose server has the static key `key`. */
  const read = (key: Uint8Array, bytes = chain) => {
    Curve.sharedKey(client.private, key);
    return proto.CertChain.decode(bytes);
  };

  it('accepts the chain of the key of the server', () => {
    expect(read(server.public).leaf?.details).toBeDefined();
  });

  it('rejects the chain of another key, and a leaf without a key', () => {
    expect(() => read(Curve.generateKeyPair().public)).toThrow(ForgedSignatureError);
    const details = proto.CertChain.NoiseCertificate.Details.encode({ serial: 2 }).finish();
    const withoutKey = proto.CertChain.encode({ leaf: { details, signature: new Uint8Array(64) } }).finish();
    expect(() => read(server.public, withoutKey)).toThrow(ForgedSignatureError);
  });

  it('leaves a chain without a leaf to Baileys', () => {
    expect(read(server.public, new Uint8Array()).leaf ?? null).toBeNull();
  });

  it('the mode warn accepts and logs the chain of another key', () => {
    const { log, lines } = readableLog('warn');
    installCertificateBinding({ verify: 'warn', log });
    expect(read(Curve.generateKeyPair().public).leaf?.details).toBeDefined();
    expect(lines).toMatchObject([{ msg: 'signature.check.failed', refused: false }]);
  });
});
