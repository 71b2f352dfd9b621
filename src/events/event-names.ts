// Converts between the three forms of an event name: in payloads (`messages.upsert`), in subscriptions
// (`MESSAGES_UPSERT`), and in URLs (`messages-upsert`). Decision D-027.
import { EVENT_TYPES } from './event-descriptors.ts';

/** Clients of Evolution API subscribe to these types. This gateway accepts the subscription but has no such events. */
const RESERVED_TYPES = [
  'contacts.set',
  'typebot.start',
  'typebot.change-status',
  'new.jwt-token',
  'chama-ai.action',
] as const;

/** Evolution API lists groups.update under this subscription name. Subscribers of GROUPS_UPDATE get the event too. */
const GROUP_UPDATE = 'GROUP_UPDATE';

const BY_SUBSCRIPTION_NAME = new Map(
  [...EVENT_TYPES, ...RESERVED_TYPES].map((type): [string, string] => [toSubscriptionName(type), type]),
).set(GROUP_UPDATE, 'groups.update');

/** Every name that a webhook can subscribe to, sorted. */
export const SUBSCRIPTION_NAMES: readonly string[] = [...BY_SUBSCRIPTION_NAME.keys()].sort();

/** Converts a name such as `group-participants.update` to `GROUP_PARTICIPANTS_UPDATE`. */
export function toSubscriptionName(type: string): string {
  return type.toUpperCase().replaceAll(/[.-]/g, '_');
}

/** Converts `messages.upsert` to `messages-upsert`: the last path segment of the URL of a webhook with `byEvents`. */
export function toUrlSuffix(type: string): string {
  return type.toLowerCase().replaceAll(/[._]/g, '-');
}

/**
 * Returns the subscription name for a name in any form (`MESSAGES_UPSERT`, `messages.upsert`), or null for an unknown
 * name.
 */
export function parseSubscriptionName(name: string): string | null {
  const subscription = toSubscriptionName(name.trim());
  return BY_SUBSCRIPTION_NAME.has(subscription) ? subscription : null;
}

/** Returns the payload name (`messages.upsert`) for a name in any form, or null for an unknown name. */
export function parseEventType(name: string): string | null {
  return BY_SUBSCRIPTION_NAME.get(toSubscriptionName(name.trim())) ?? null;
}

/** Whether a list of subscription names includes the event type. An empty list includes all. */
export function isSubscribed(subscriptions: readonly string[], type: string): boolean {
  if (subscriptions.length === 0) return true;
  return (
    subscriptions.includes(toSubscriptionName(type)) ||
    (type === 'groups.update' && subscriptions.includes(GROUP_UPDATE))
  );
}
