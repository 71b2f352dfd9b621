import { Curve, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { isValidSignature } from '../../src/crypto/signing.ts';
import { createIdentity, type Identity } from '../../src/wire/certificate.ts';

const NOW = 1_700_000_000;
const { Details } = proto.CertChain.NoiseCertificate;

function read({ chain }: Identity) {
  const { intermediate, leaf } = proto.CertChain.decode(chain);
  if (!intermediate?.details || !intermediate.signature || !leaf?.details || !leaf.signature)
    throw new Error('incomplete');
  return {
    intermediate: {
      ...Details.decode(intermediate.details).toJSON(),
      bytes: intermediate.details,
      signature: intermediate.signature,
    },
    middleKey: Details.decode(intermediate.details).key ?? new Uint8Array(),
    leafKey: Details.decode(leaf.details).key,
    leaf: { bytes: leaf.details, signature: leaf.signature },
  };
}

describe('certificate chain', () => {
  it('the certificate chain contains a signature of the root, an intermediate and the static key', () => {
    const identity = createIdentity(NOW, Curve.generateKeyPair());
    const { intermediate, middleKey, leaf, leafKey } = read(identity);
    expect(isValidSignature(identity.rootKey, intermediate.bytes, intermediate.signature)).toBe(true);
    expect(isValidSignature(middleKey, leaf.bytes, leaf.signature)).toBe(true);
    expect(Buffer.from(leafKey ?? [])).toEqual(Buffer.from(identity.staticKey.public));
    expect(intermediate).toMatchObject({ issuerSerial: 0 });
  });

  it('the certificate chains of a process have one root, and a foreign chain has another', () => {
    const [one, other] = [createIdentity(NOW, Curve.generateKeyPair()), createIdentity(NOW, Curve.generateKeyPair())];
    expect(one.rootKey).toEqual(other.rootKey);
    const { intermediate } = read(createIdentity(NOW, one.staticKey, { hasForeignRoot: true }));
    expect(isValidSignature(one.rootKey, intermediate.bytes, intermediate.signature)).toBe(false);
  });
});
