// Links an instance by passkey: a phone whose account requires a passkey, the authenticator of its owner, and the HTTP
// requests.
import { createPublicKey } from 'node:crypto';
import { expect } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type Api, at, textAt } from './api.ts';
import { type AssertionChanges, type Authenticator, createAuthenticator } from './authenticator.ts';
import { isEvent, isState, startWorld, type World, type WorldOptions } from './gateway.ts';

export const number = '15550092001';
export const PASSKEY_ENV = { PASSKEY_LINKING: 'true' };
export const path = '/instance/passkey/shop';

export interface PasskeyStage {
  world: World;
  owner: Authenticator;
  /** Settles when the link has ended for the phone. */
  linked: Promise<unknown>;
  /** The assertion of the owner's browser for the current request. */
  assert(changes?: AssertionChanges): Promise<object>;
}

/** Makes the account of the phone require the owner's passkey. */
export function requirePasskey({ pairing }: Pick<Sandbox, 'pairing'>, phone = number): Authenticator {
  const owner = createAuthenticator();
  const { id, publicKey } = owner.credential;
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  pairing.passkeys.require(phone, [{ id, publicKey: key }]);
  return owner;
}

/** Scans a QR code with the phone. `linked` settles when the link has ended for the phone. */
export function scan({ sandbox }: Pick<World, 'sandbox'>, code: string): { linked: Promise<unknown> } {
  const linked = sandbox.pairing.scanQr(number, code);
  linked.catch(() => undefined);
  return { linked };
}

/** The data of a connection.update; undefined for other posts. */
export const updateIn = (body: unknown): { passkey?: unknown; cause?: unknown } | undefined =>
  isEvent(body, 'connection.update', 'shop') ? { ...(at(body, 'data') as object) } : undefined;

/** Resolves with the body of connection.update with this stage of the link. */
export const waitForStage = async ({ receiver }: World, stage: 'required' | 'confirm', after = 0): Promise<unknown> =>
  (await receiver.next(({ body }) => updateIn(body)?.passkey === stage, { after })).body;

/** Resolves with the body of connection.update with this cause. */
export const waitForCause = async ({ receiver }: World, cause: string): Promise<unknown> =>
  (await receiver.next(({ body }) => updateIn(body)?.cause === cause)).body;

/** The assertion of the owner's browser for the request that the gateway returns. */
export async function assertionOf(api: Api, owner: Authenticator, changes?: AssertionChanges): Promise<object> {
  const { body } = await api('GET', path);
  return owner.assert({ challenge: textAt(body, 'request.challenge'), rpId: textAt(body, 'request.rpId') }, changes);
}

/** Starts an instance and scans its QR code with a phone whose account requires a passkey. */
export async function startScanned(options: WorldOptions = { env: PASSKEY_ENV }): Promise<PasskeyStage> {
  const world = await startWorld(options);
  const owner = requirePasskey(world.sandbox);
  const created = await world.api('POST', '/instance/create', {
    instanceName: 'shop',
    qrcode: true,
    webhook: world.receiver.url,
  });
  const { linked } = scan(world, textAt(created.body, 'qrcode.code'));
  await waitForStage(world, 'required');
  return { world, owner, linked, assert: (changes) => assertionOf(world.api, owner, changes) };
}

/** Answers the passkey request, confirms the code, and waits until the instance is open. */
export async function completeLink({ world, owner }: PasskeyStage, api = world.api): Promise<void> {
  const after = world.receiver.posts.length;
  expect(await api('POST', path, await assertionOf(api, owner))).toMatchObject({ status: 200 });
  await waitForStage(world, 'confirm', after);
  const { body } = await api('GET', `${path}/confirm`);
  expect(await api('POST', `${path}/confirm`, { code: textAt(body, 'code') })).toMatchObject({ status: 200 });
  await world.receiver.next((post) => isState(post.body, 'shop', 'open'));
}

/** Scans the QR code that follows a failed link, and links with a passkey. */
export async function linkAgain(stage: PasskeyStage): Promise<void> {
  const { receiver } = stage.world;
  const failedAt = receiver.posts.findLastIndex(({ body }) => updateIn(body)?.passkey !== undefined);
  const next = await receiver.next(({ body }) => isEvent(body, 'qrcode.updated', 'shop'), { after: failedAt });
  const after = receiver.posts.length;
  scan(stage.world, textAt(next.body, 'data.qrcode.code'));
  await waitForStage(stage.world, 'required', after);
  await completeLink(stage);
}
