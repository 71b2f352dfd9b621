// Operations on access keys (create, list, rotate, revoke) and the audit log.
import { broadcastKeyChange } from '../../cluster/peer-broadcast.ts';
import { GatewayError } from '../../errors.ts';
import type { AccessKeyRow } from '../../storage/access-stores.ts';
import type { AppDeps } from '../deps.ts';
import { requireScope } from '../plugins/auth.ts';
import {
  type CreateKeyBody,
  createKeyRoute,
  type Key,
  listKeysRoute,
  readAuditRoute,
  revokeKeyRoute,
  rotateKeyRoute,
} from '../schemas/key.ts';
import { parseTime, toIso } from '../times.ts';
import type { RoutePlugin } from '../type-provider.ts';

/** Seconds for which the old key stays valid after a rotation if the request has no `overlap`. */
const DEFAULT_OVERLAP_S = 86_400;
/** Number of audit entries of a page if the request has no `limit`. */
const DEFAULT_AUDIT_LIMIT = 100;

type Deps = Pick<AppDeps, 'keys' | 'auditRecorder' | 'manager' | 'cluster' | 'peers' | 'log'>;

export const keyRoutes: RoutePlugin<Deps> = async (app, deps) => {
  const { keys, auditRecorder } = deps;
  // The callers need a key for all instances.
  const config = { access: 'service' } as const;

  app.route({
    ...listKeysRoute,
    schema: listKeysRoute,
    config,
    handler: async () => ({ keys: await Promise.all(keys.list().map((row) => toKey(row, deps))) }),
  });

  app.route({
    ...createKeyRoute,
    schema: createKeyRoute,
    config,
    handler: async (request, reply) => {
      // The caller receives the new key, so the caller's own key needs all scopes of the new key.
      for (const scope of request.body.scopes) requireScope(request.key, scope);
      const { key, row } = await keys.create(await toNewKey(request.body, deps));
      await broadcastKeyChange(deps);
      // For other operations, the audit log takes the id of the key from the path.
      request.auditTarget = { subject: row.id, ...(request.body.instance ? { instance: request.body.instance } : {}) };
      return reply.code(201).send({ key, ...(await toKey(row, deps)) });
    },
  });

  app.route({
    ...rotateKeyRoute,
    schema: rotateKeyRoute,
    config,
    handler: async ({ key: callerKey, params: { id }, body }, reply) => {
      // The new key has the scopes of the old key, so the rule for createKeyRoute applies to them.
      for (const scope of keys.get(id).scopes) requireScope(callerKey, scope);
      const { key, row, old } = await keys.rotate(id, (body?.overlap ?? DEFAULT_OVERLAP_S) * 1000);
      await broadcastKeyChange(deps);
      // The type allows null, but rotate() has set `old.expiresAt`.
      const replaces = { id, expiresAt: new Date(old.expiresAt ?? 0).toISOString() };
      return reply.code(201).send({ key, replaces, ...(await toKey(row, deps)) });
    },
  });

  app.route({
    ...revokeKeyRoute,
    schema: revokeKeyRoute,
    config,
    handler: async ({ params: { id } }) => {
      await keys.revoke(id);
      await broadcastKeyChange(deps);
      return { id };
    },
  });

  app.route({
    ...readAuditRoute,
    schema: readAuditRoute,
    config,
    handler: async ({ query: { after = '0', limit = DEFAULT_AUDIT_LIMIT } }) => {
      const rows = await auditRecorder.read(Number(after), limit);
      const entries = rows.map(({ seq: _seq, scope: _scope, at, ...entry }) => ({
        at: new Date(at).toISOString(),
        ...entry,
      }));
      return { entries, next: String(rows.at(-1)?.seq ?? after) };
    },
  });
};

/**
 * The properties of a new key. Rejects with INSTANCE_NOT_FOUND for an unknown `instance`, and with INVALID_REQUEST for
 * an invalid `expiresAt`.
 */
async function toNewKey(
  { name, scopes, instance: instanceName, expiresAt }: CreateKeyBody,
  { manager, cluster }: Deps,
) {
  const newKey = { name, scopes, expiresAt: parseTime('expiresAt', expiresAt) ?? null };
  if (instanceName === undefined) return { ...newKey, instanceId: null };
  const instanceId = manager.get(instanceName)?.id ?? (await cluster?.locate({ name: instanceName }))?.instanceId;
  if (instanceId) return { ...newKey, instanceId };
  throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${instanceName}" instance does not exist`]);
}

/** The record of a key in responses, without the key itself. */
async function toKey(row: AccessKeyRow, { manager, cluster }: Deps): Promise<Key> {
  const { id, name, hint, scopes, instanceId, replacedBy, createdAt, expiresAt, lastUsedAt } = row;
  // The name is empty if the instance no longer exists.
  const nameOf = async (searchedId: string) =>
    (manager.byId(searchedId) ?? (await cluster?.locate({ id: searchedId })))?.name ?? '';
  return {
    id,
    name,
    hint,
    scopes,
    replacedBy,
    instance: instanceId === null ? null : await nameOf(instanceId),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: toIso(expiresAt),
    lastUsedAt: toIso(lastUsedAt),
  };
}
