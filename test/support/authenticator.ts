// The authenticator of an account owner, for tests only. It has a passkey and returns assertions as a browser gets
// them.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface AssertionChanges {
  /** Origin of the page. */
  origin?: string;
  challenge?: string;
  type?: string;
  rpId?: string;
  /** User present (1) and verified (4). */
  flags?: number;
  crossOrigin?: boolean;
  signCount?: number;
  /** Signs with another key. */
  isForged?: boolean;
}

/** An assertion as `PublicKeyCredential.toJSON()` returns it. */
export interface AssertionJson {
  id: string;
  rawId: string;
  type: string;
  authenticatorAttachment: string;
  clientExtensionResults: object;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string | null };
}

export interface Authenticator {
  /** Credential id, base64url. */
  readonly id: string;
  /** In the form that the control API of the sandbox accepts. */
  readonly credential: { id: string; publicKey: string };
  assert(request: { challenge: string; rpId: string }, changes?: AssertionChanges): AssertionJson;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const generateKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export function createAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeys();
  const id = randomBytes(20).toString('base64url');
  return {
    id,
    credential: { id, publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') },
    assert(request, changes = {}) {
      const { origin = 'https://web.whatsapp.com', flags = 5, signCount = 0, crossOrigin = false } = changes;
      const { challenge = request.challenge, rpId = request.rpId, type = 'webauthn.get' } = changes;
      const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
      const count = Buffer.alloc(4);
      count.writeUInt32BE(signCount);
      const authenticatorData = Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
      const key = changes.isForged ? generateKeys().privateKey : privateKey;
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key);
      return {
        id,
        rawId: id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: Buffer.from('owner').toString('base64url'),
        },
      };
    },
  };
}
