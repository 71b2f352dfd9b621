// Stores the account's labels with its keys. The phone sends them once, in the app state; they are deleted when the
// device is unlinked.

import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { AuthKeys } from '../../storage/storage.ts';
import type { Socket, SocketEvents } from '../baileys/types.ts';
import type { Session } from '../session.ts';

export interface Label {
  id: string;
  name: string;
  /** Index of the color in WhatsApp's palette. */
  color: number;
  /** Set for the default labels that every account has. */
  predefinedId?: string;
}

type Keys = Pick<AuthKeys, 'all' | 'set'>;

/** Key type of the rows. Baileys does not use this type. */
const KEY_TYPE = 'gateway-label';

/** Stores the labels that the session receives, in order. */
export function installLabelStore(
  socket: Pick<Socket, 'ev'>,
  session: Pick<Session, 'instanceId' | 'log'>,
  keys: Keys,
): void {
  const queue = new KeyedQueue();
  socket.ev.on('labels.edit', (label) => {
    queue
      .run(KEY_TYPE, () => keys.set(session.instanceId, [{ type: KEY_TYPE, id: label.id, value: toBytes(label) }]))
      .catch((err: unknown) => session.log.error({ err }, 'label.write.failed'));
  });
}

/** Returns the labels that the phone has sent so far, sorted by id. */
export async function findLabels(keys: Keys, instanceId: string): Promise<Label[]> {
  const stored = [...(await keys.all(instanceId, KEY_TYPE)).values()];
  const labels = stored.map((bytes) => JSON.parse(Buffer.from(bytes).toString()) as Label);
  return labels.sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
}

function toBytes({ id, name, color, predefinedId, deleted }: SocketEvents['labels.edit']): Uint8Array | null {
  if (deleted) return null;
  const label: Label = { id, name: name ?? '', color: color ?? 0, ...(predefinedId ? { predefinedId } : {}) };
  return Buffer.from(JSON.stringify(label));
}
