// instance/import and instance/export: a linked session moves between programs as a session bundle, one JSON object.
// Decision D-175.
import type { FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import { parseSubscriptionName } from '../../events/event-names.ts';
import { headerProblem } from '../../lib/configured-headers.ts';
import type { BundleInstance, Dropped } from '../../session-bundle/bundle.ts';
import type { ProxySettings } from '../../storage/instance-row.ts';
import type { WebhookRow } from '../../storage/webhook-stores.ts';
import type { WebhookConfig } from '../../webhooks/webhook-settings.ts';
import { toBareJid } from '../../whatsapp/address/jid.ts';
import { findInstanceOfDevice } from '../../whatsapp/session-transfer/same-session.ts';
import type { ImportedSession } from '../../whatsapp/session-transfer/session-transfer.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { hasAllScopes } from '../plugins/auth.ts';
import { exportInstanceRoute, type ImportedInstance, importInstanceRoute } from '../schemas/instance.ts';
import type { RoutePlugin } from '../type-provider.ts';
import { GATEWAY_VERSION } from '../versions.ts';
import { assertBodySize, receiveUpload } from './bundle-upload.ts';
import { createInstance } from './new-instance.ts';

// No schema checks the body: the handler passes it as a stream to a worker thread, which checks and converts it.
const { body: _checkedByThread, ...importSchema } = importInstanceRoute;
// The response is already text, so it has no schema.
const exportSchema = { ...exportInstanceRoute, response: {} };

export const instanceTransferRoutes: RoutePlugin<AppDeps> = async (app, deps) => {
  const { config, sessionTransfer: transfer } = deps;
  const limit = { bytes: config.sessionBundleLimit, setting: 'SESSION_BUNDLE_LIMIT' } as const;

  app.route({
    ...importSchema,
    schema: importSchema,
    config: { access: 'service', readsBody: true },
    handler: async (request, reply) => {
      assertBodySize(request, limit);
      const answer = await transfer.runInTurn(async () => {
        const formFields = await receiveUpload(request, limit, (text) => transfer.receive(text));
        const imported = await transfer.read(formFields);
        // The field `instanceName` of the request replaces the name in the bundle.
        const name = imported.instanceName ?? imported.instance.name;
        // The audit log gets the name also when the import fails, and the id of the instance when it succeeds.
        request.auditTarget = { instance: name };
        const created = await importSession(deps, request.key, name, imported);
        request.auditTarget = { instance: name, subject: created.instance.instanceId };
        return created;
      });
      return reply.code(201).send(answer);
    },
  });

  app.route({
    ...exportSchema,
    schema: exportSchema,
    handler: async ({ instance, body, query, reach, key }, reply) => {
      const { passphrase } = body;
      if (instance.row.ownerJid === null) throw notLinkedError(instance);
      if (query.stop || body.stop) await instance.disconnect();
      assertStopped(instance);
      // Only a key for all instances (`service`) gets the password of the proxy.
      const visible = { token: hasAllScopes(key), proxyPassword: reach === 'service' };
      const bundle = await transfer.runInTurn(async () => {
        // Another request can start the instance while this request waits for its turn.
        assertStopped(instance);
        const { row } = instance;
        const creds = await requireCreds(deps, instance);
        const source = `messaging-gateway ${GATEWAY_VERSION}`;
        const head = { instance: toBundleInstance(deps, instance, visible), creds, source, passphrase };
        const written = await transfer.write(deps.store.authKeys, instance.id, head);
        // The instance may have been deleted, unlinked or started while its keys were read. Every start and stop
        // replaces the row object.
        await requireCreds(deps, instance);
        assertStopped(instance);
        if (instance.row !== row) throw changedError(instance);
        return written;
      });
      return reply
        .type('application/json; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="${encodeURIComponent(instance.name)}.session.json"`)
        .send(bundle);
    },
  });
};

const notLinkedError = ({ name }: AppInstance) =>
  new GatewayError('INSTANCE_NOT_CONNECTED', [`The "${name}" instance is not linked, so it has no session.`]);
const changedError = ({ name }: AppInstance) =>
  new GatewayError('INSTANCE_NOT_STOPPED', [
    `The "${name}" instance was changed during the export. Repeat the export.`,
  ]);

/** Throws INSTANCE_NOT_STOPPED unless the instance is stopped. */
function assertStopped({ name, isStopped }: AppInstance): void {
  if (isStopped) return;
  const message = `The "${name}" instance is not stopped. Set stop=true to stop it first.`;
  throw new GatewayError('INSTANCE_NOT_STOPPED', [message]);
}

/** The stored credentials. Rejects with INSTANCE_NOT_FOUND or INSTANCE_NOT_CONNECTED. */
async function requireCreds({ manager, store }: AppDeps, instance: AppInstance): Promise<Uint8Array> {
  const creds = await store.authKeys.creds(instance.id);
  if (manager.byId(instance.id) !== instance)
    throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${instance.name}" instance does not exist`]);
  if (!creds) throw notLinkedError(instance);
  return creds;
}

async function importSession(
  deps: AppDeps,
  key: FastifyRequest['key'],
  name: string,
  { instance: given, account, session, taken, warnings, token }: ImportedSession,
): Promise<ImportedInstance> {
  await assertSessionUnused(deps, account.deviceJid);
  const { webhook, droppedEvents } = toWebhook(given.webhook);
  const ownerJid = toBareJid(account.deviceJid);
  const input = {
    name,
    token: token ?? given.token,
    number: given.number,
    settings: given.settings,
    proxy: given.proxy && toProxySettings(given.proxy),
    webhook,
    linked: {
      ownerJid,
      ownerLid: account.lid === null ? null : toBareJid(account.lid),
      profileName: account.name,
      session,
    },
  };
  return createInstance(deps, key, input, async (instance) => {
    // Another node can have imported the same session since the first check. The second check finds the instance of
    // that node.
    await assertSessionUnused(deps, account.deviceJid, instance.id);
    return {
      instance: { instanceName: instance.name, instanceId: instance.id, status: 'close' },
      hash: hasAllScopes(key) ? instance.row.token : undefined,
      account: ownerJid,
      taken,
      dropped: droppedEvents,
      warnings,
    };
  });
}

/** Rejects with SESSION_IN_USE when an instance of any node, except `ownId`, is linked as this device. */
async function assertSessionUnused({ store }: AppDeps, deviceJid: string, ownId?: string): Promise<void> {
  const owner = await findInstanceOfDevice(store, deviceJid, ownId);
  if (!owner) return;
  // Deleting an open instance logs its device out, so a caller who only deletes it would lose the session.
  const message =
    `The session is already in the instance "${owner.name}". Use that instance. To replace it, stop it before you ` +
    `delete it (POST /instance/export/${encodeURIComponent(owner.name)}?stop=true): deleting a connected instance ` +
    'unlinks the device, and the bundle becomes useless.';
  throw new GatewayError('SESSION_IN_USE', [message]);
}

const toProxySettings = ({
  protocol,
  host,
  port,
  username = '',
  password = '',
}: NonNullable<BundleInstance['proxy']>) => ({ protocol, host, port, username, password }) satisfies ProxySettings;

/**
 * Returns the webhook with only the events that this gateway has, and a report about the dropped events. A webhook that
 * loses all its events is disabled.
 */
function toWebhook(given: BundleInstance['webhook']): { webhook?: WebhookConfig; droppedEvents: Dropped[] } {
  if (!given) return { droppedEvents: [] };
  const { events = [], ...webhook } = given;
  const known = events.map(parseSubscriptionName).filter((name) => name !== null);
  const count = events.length - known.length;
  // An empty list in a stored webhook means all events, so a webhook that loses all its events must not stay enabled.
  const enabled = webhook.enabled && (known.length > 0 || events.length === 0);
  const reason = 'This gateway has no events with these names.';
  return {
    webhook: { ...webhook, enabled, events: known },
    droppedEvents: count > 0 ? [{ type: 'webhook events', count, reason }] : [],
  };
}

/**
 * The settings of the instance for its bundle. `visible`: which secrets the caller may see. If the proxy has a password
 * that the caller may not see, the whole proxy is left out.
 */
function toBundleInstance(
  { subscriptions }: Pick<AppDeps, 'subscriptions'>,
  { id, name, row }: AppInstance,
  visible: { token: boolean; proxyPassword: boolean },
): BundleInstance {
  const { token, number, settings, proxy } = row;
  const webhook = subscriptions.findMain(id);
  return {
    name,
    ...(visible.token && token !== '' ? { token } : {}),
    ...(number === null ? {} : { number }),
    settings: { ...settings },
    ...(proxy && proxy.host !== '' && (visible.proxyPassword || proxy.password === '') ? { proxy: { ...proxy } } : {}),
    ...(webhook ? { webhook: toBundleWebhook(webhook) } : {}),
  };
}

/**
 * Leaves out headers that an import refuses. Earlier releases accepted control characters in values, so a stored
 * webhook can have such headers.
 */
const toBundleWebhook = ({ enabled, url, headers, events, byEvents, base64 }: WebhookRow) => ({
  enabled,
  url,
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => headerProblem(name, value, url) === undefined),
  ),
  byEvents,
  base64,
  ...(events.length > 0 ? { events: [...events] } : {}),
});
