// Keys with scopes: made, listed, rotated, revoked; and what was done with keys.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { AccessKeyRow } from '../access/keys.ts';
import { GatewayError } from '../errors.ts';
import { demand } from '../plugins/auth.ts';
import {
  type CreateKeyBody,
  createKeyRoute,
  type Key,
  listKeysRoute,
  readAuditRoute,
  revokeKeyRoute,
  rotateKeyRoute,
} from '../schemas/key.ts';
import type { AppDeps, AppManager } from './deps.ts';
import { toTime } from './webhook.ts';

/** Seconds that a rotated key goes on unless the caller says otherwise. */
const OVERLAP = 86_400;

export const keyRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'keys' | 'recorder' | 'manager'>> = async (
  app,
  { keys, recorder, manager },
) => {
  const config = { access: 'service' } as const;

  app.route({
    ...listKeysRoute,
    schema: listKeysRoute,
    config,
    handler: async () => ({ keys: keys.list().map((row) => toKey(row, manager)) }),
  });

  app.route({
    ...createKeyRoute,
    schema: createKeyRoute,
    config,
    handler: async (request, reply) => {
      for (const scope of request.body.scopes) demand(request.key, scope);
      const { key, row } = await keys.create(toWish(request.body, manager));
      request.about = { subject: row.id, ...(request.body.instance ? { instance: request.body.instance } : {}) };
      return reply.code(201).send({ key, ...toKey(row, manager) });
    },
  });

  app.route({
    ...rotateKeyRoute,
    schema: rotateKeyRoute,
    config,
    handler: async ({ key: own, params: { id }, body }, reply) => {
      // Whoever gets the new key could otherwise do more than before.
      for (const scope of keys.get(id).scopes) demand(own, scope);
      const { key, row, old } = await keys.rotate(id, (body?.overlap ?? OVERLAP) * 1000);
      const replaces = { id, expiresAt: new Date(old.expiresAt ?? 0).toISOString() };
      return reply.code(201).send({ key, replaces, ...toKey(row, manager) });
    },
  });

  app.route({
    ...revokeKeyRoute,
    schema: revokeKeyRoute,
    config,
    handler: async ({ params: { id } }) => {
      await keys.revoke(id);
      return { id };
    },
  });

  app.route({
    ...readAuditRoute,
    schema: readAuditRoute,
    config,
    handler: async ({ query: { after = '0', limit = 100 } }) => {
      const found = await recorder.read(Number(after), limit);
      const entries = found.map(({ seq: _seq, scope: _scope, at, ...entry }) => ({
        at: new Date(at).toISOString(),
        ...entry,
      }));
      return { entries, next: String(found.at(-1)?.seq ?? after) };
    },
  });
};

/** Throws INSTANCE_NOT_FOUND, and INVALID_REQUEST for a time that is none. */
function toWish({ name, scopes, instance: bound, expiresAt }: CreateKeyBody, manager: AppManager) {
  const instance = bound === undefined ? undefined : manager.get(bound);
  if (bound !== undefined && !instance)
    throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${bound}" instance does not exist`]);
  return { name, scopes, instanceId: instance?.id ?? null, expiresAt: toTime('expiresAt', expiresAt) ?? null };
}

const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function toKey(row: AccessKeyRow, manager: AppManager): Key {
  const { id, name, hint, scopes, instanceId, replacedBy, createdAt, expiresAt, lastUsedAt } = row;
  return {
    ...{ id, name, hint, scopes, replacedBy },
    instance: instanceId === null ? null : (manager.byId(instanceId)?.name ?? ''),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: toIso(expiresAt),
    lastUsedAt: toIso(lastUsedAt),
  };
}
