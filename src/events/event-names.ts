// The event names integrators know: payload name ↔ subscription name ↔ URL suffix. No payloads here.

const EVENT_NAMES = [
  'application.startup',
  'qrcode.updated',
  'connection.update',
  'status.instance',
  'messages.set',
  'history.progress',
  'messages.upsert',
  'messages.edited',
  'messages.update',
  'messages.delete',
  'messages.undecryptable',
  'send.message',
  'send.message.update',
  'contacts.set',
  'contacts.upsert',
  'contacts.update',
  'presence.update',
  'chats.set',
  'chats.upsert',
  'chats.update',
  'chats.delete',
  'groups.upsert',
  'groups.update',
  'group-participants.update',
  'group.join-request',
  'labels.edit',
  'labels.association',
  'call',
  'typebot.start',
  'typebot.change-status',
  'new.jwt-token',
  'chama-ai.action',
  'instance.create',
  'instance.delete',
  'instance.restricted',
  'remove.instance',
  'logout.instance',
] as const;

/** `group-participants.update` → `GROUP_PARTICIPANTS_UPDATE`. */
export function toSubscriptionName(event: string): string {
  return event.toUpperCase().replaceAll(/[.-]/g, '_');
}

/** `messages.upsert` → `messages-upsert`: last path segment of by-events URLs. */
export function toSuffix(event: string): string {
  return event.toLowerCase().replaceAll(/[._]/g, '-');
}

/** Every name a webhook may subscribe to. The peers list groups.update as GROUP_UPDATE, which no event of theirs ever matched. */
export const subscriptionNames: readonly string[] = [...EVENT_NAMES.map(toSubscriptionName), 'GROUP_UPDATE'].sort();

const known = new Set(subscriptionNames);

/** The known subscription name for what a client wrote (`MESSAGES_UPSERT`, `messages.upsert`), or null. */
export function parseSubscription(name: string): string | null {
  const canonical = toSubscriptionName(name.trim());
  return known.has(canonical) ? canonical : null;
}

const types = new Map(EVENT_NAMES.map((event): [string, string] => [toSubscriptionName(event), event]));

/** The name in payloads (`messages.upsert`) for what a client wrote in either form, or null. */
export function parseType(name: string): string | null {
  const canonical = toSubscriptionName(name.trim());
  return canonical === 'GROUP_UPDATE' ? 'groups.update' : (types.get(canonical) ?? null);
}

/** Whether a webhook that asked for `events` (empty: for all) gets `event`. */
export function isSubscribed(events: readonly string[], event: string): boolean {
  if (events.length === 0) return true;
  return events.includes(toSubscriptionName(event)) || (event === 'groups.update' && events.includes('GROUP_UPDATE'));
}
