// Creates an instance with its webhook, for instance/create and instance/import.
import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { CreateInput } from '../../instances/manager.ts';
import { isWeakToken, MIN_TOKEN_LENGTH } from '../../instances/weak-token.ts';
import type { AccessKeyRow } from '../../storage/access-stores.ts';
import type { WebhookRow } from '../../storage/webhook-stores.ts';
import type { WebhookConfig } from '../../webhooks/webhook-settings.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { requireAllScopes } from '../plugins/auth.ts';
import type { CreateWebsocket } from '../schemas/instance.ts';

export interface NewInstance extends Omit<CreateInput, 'start' | 'toWebhook'> {
  webhook?: WebhookConfig | undefined;
  websocket?: CreateWebsocket | undefined;
}

type Deps = Pick<AppDeps, 'config' | 'manager' | 'cluster' | 'subscriptions' | 'sockets'>;

/**
 * Throws SCOPE_MISSING when WEBHOOK_INCLUDE_APIKEY is on and the caller's key does not have all scopes. With this
 * setting, the receiver of a webhook gets the key of the instance, which has all scopes.
 */
export function assertWebhookAllowed(
  { webhookIncludeApikey }: Pick<AppDeps['config'], 'webhookIncludeApikey'>,
  key: AccessKeyRow | undefined,
): void {
  if (webhookIncludeApikey) requireAllScopes(key, 'Setting a webhook while WEBHOOK_INCLUDE_APIKEY is on');
}

/**
 * Creates the instance with its webhook, publishes the event of its creation and calls `finish`, which can connect it.
 * Resolves with the result of `finish`. When a step after the creation fails, deletes the instance, so that the caller
 * can retry (D-024). Rejects with INVALID_REQUEST, INSTANCE_NAME_IN_USE, ADDRESS_FORBIDDEN, SHUTTING_DOWN and the
 * errors of `finish`.
 *
 * `key` is the access key of the caller; undefined for the global key. A key without all scopes cannot choose the key of
 * the instance (`token`), nor set a webhook that assertWebhookAllowed() refuses: the call rejects with SCOPE_MISSING.
 */
export async function createInstance<T>(
  deps: Deps,
  key: AccessKeyRow | undefined,
  { webhook, websocket, ...input }: NewInstance,
  finish: (instance: AppInstance, webhookRow: WebhookRow | null) => Promise<T>,
): Promise<T> {
  const { manager, subscriptions, sockets } = deps;
  const token = input.token || undefined;
  if (token) requireAllScopes(key, 'Choosing the key of an instance (token)');
  if (webhook) assertWebhookAllowed(deps.config, key);
  if (token) await assertTokenUsable(deps, input.name, token);
  /** `prepared.webhook` is set when manager.create() calls `toWebhook` with the id of the new instance. */
  const prepared: { webhook: WebhookRow | null } = { webhook: null };
  // manager.create() calls this function, and stores its result in one transaction with the instance, so that a crash
  // leaves no instance without its webhook.
  const toWebhook =
    webhook &&
    ((id: string) => {
      const row = subscriptions.prepareMain(id, webhook);
      prepared.webhook = row;
      return row;
    });
  const instance = await manager.create({ ...input, token, start: false, toWebhook });
  try {
    // The webhook is in use before the first connection, so that it receives the events of that connection.
    if (prepared.webhook) subscriptions.register(prepared.webhook);
    if (sockets && websocket)
      await instance.changeWebsocket({ enabled: websocket.enabled ?? true, events: websocket.events ?? [] });
    await manager.announce(instance);
    return await finish(instance, prepared.webhook);
  } catch (error) {
    await manager.delete(instance);
    throw error;
  }
}

/**
 * Rejects with INVALID_REQUEST for an instance key that is too short, or that an instance with another name already
 * uses on any node. The manager only checks the keys of instances on this node.
 */
async function assertTokenUsable(
  { config, manager, cluster }: Deps,
  instanceName: string,
  token: string,
): Promise<void> {
  const instanceWithKey = await cluster?.locate({ key: token }, { fresh: true });
  if (instanceWithKey && instanceWithKey.name !== instanceName)
    throw new GatewayError('INVALID_REQUEST', ['Token already exists']);
  const areWeakTokensAllowed = config.weakTokens;
  if (!isWeakToken(token) || areWeakTokensAllowed) return;
  // When the instance exists, the creation fails with INSTANCE_NAME_IN_USE. Some clients create their instance at every
  // start and expect this error, so a weak token causes no other error here.
  if (instanceWithKey || manager.get(instanceName)) return;
  const message = `token must have at least ${MIN_TOKEN_LENGTH} characters. WEAK_TOKENS=true allows shorter tokens.`;
  throw invalidRequestError(message);
}
