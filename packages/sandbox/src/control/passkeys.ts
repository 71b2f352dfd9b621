// Control API for accounts that link a device only with a passkey. The sandbox stores only the public keys. The owner's
// authenticator, which is not part of the sandbox, creates the signature (assertion).
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { fromBase64Url } from '../crypto/web-authn.ts';
import type { ScanOptions } from '../pairing/pairing.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Companion } from '../world/model.ts';
import type { FindPhone, PhoneRoute } from './account.ts';
import { type Body, ControlError, readBoolean, requireString, toBytes, toObject } from './body.ts';

/** Maximum size of a credential id in WebAuthn. */
const MAX_CREDENTIAL_ID_BYTES = 1023;

/**
 * Adds routes that set whether links to an account require a passkey, and that return this setting and the state of the
 * last link. During a link, the phone and the client show a code. A third route confirms this code on the phone.
 */
export function addPasskeys(
  app: FastifyInstance,
  { pairing: { passkeys, passkeyLinks } }: Pick<Sandbox, 'pairing'>,
  phoneOf: FindPhone,
): void {
  const viewOf = (number: string) => ({
    required: passkeys.get(number) !== undefined,
    credentials: [...(passkeys.get(number)?.keys() ?? [])],
    link: passkeyLinks.viewOf(number) ?? null,
  });

  app.get<PhoneRoute>('/phones/:number/passkey', async ({ params }) => viewOf(phoneOf(params).account.number));

  app.post<PhoneRoute>('/phones/:number/passkey', async ({ params, body: json }) => {
    const { number } = phoneOf(params).account;
    const body = toObject(json);
    if (readBoolean(body, 'required') ?? true) passkeys.require(number, toCredentials(body.credentials));
    else passkeys.clear(number);
    return viewOf(number);
  });

  app.post<PhoneRoute>('/phones/:number/passkey/confirm', async ({ params, body }) => {
    const { number } = phoneOf(params).account;
    passkeyLinks.confirmOnPhone(number, requireString(toObject(body), 'code'));
    return viewOf(number);
  });
}

/**
 * Starts a link and answers with the linked device, or with 202 when the account requires a passkey. An error after the
 * 202 appears only in `link` of GET /phones/:number/passkey.
 */
export async function replyWithLink(
  reply: FastifyReply,
  start: (options: ScanOptions) => Promise<Companion>,
  view: (companion: Companion) => object,
): Promise<object> {
  const passkeyRequest = Promise.withResolvers<undefined>();
  const linked = start({ onPasskeyRequest: () => passkeyRequest.resolve(undefined) });
  // After the 202, no code awaits `linked`. Without a handler, its rejection would be an unhandled one.
  linked.catch(() => undefined);
  // Undefined when the account requires a passkey.
  const companion = await Promise.race([linked, passkeyRequest.promise]);
  return companion ? view(companion) : reply.code(202).send({ passkey: 'required' });
}

function toCredentials(value: unknown): { id: string; publicKey: KeyObject }[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ControlError(400, 'credentials must be an array of objects');
  return value.map((item) => toCredential(toObject(item, 'credentials')));
}

function toCredential(credential: Body): { id: string; publicKey: KeyObject } {
  const id = requireString(credential, 'id', 'credentials.');
  const bytes = fromBase64Url(id);
  if (!bytes || bytes.length > MAX_CREDENTIAL_ID_BYTES)
    throw new ControlError(400, `credentials.id must be base64url of at most ${MAX_CREDENTIAL_ID_BYTES} bytes`);
  return { id, publicKey: toPublicKey(toBytes(credential, 'publicKey')) };
}

function toPublicKey(key: Buffer): KeyObject {
  try {
    const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
    if (publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1') return publicKey;
  } catch {
    // The bytes are not a key. They get the same error as a key on another curve.
  }
  throw new ControlError(400, 'credentials.publicKey must be a P-256 key (SPKI, base64)');
}
