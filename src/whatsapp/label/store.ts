// Stores the labels of an account. The phone sends all labels once, after the device is linked, and then each change.
// The labels are stored in the table of the account's keys, because labels and keys must be deleted when the device is
// unlinked. Decision D-112.

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

type Keys = Pick<AuthKeys, 'readAll' | 'set'>;

/** Key type of the stored labels. Baileys does not use this type. */
const KEY_TYPE = 'gateway-label';

/** Stores the labels that the session receives. The queue keeps the order of changes, so that the last one wins. */
export function installLabelStore(
  socket: Pick<Socket, 'ev'>,
  session: Pick<Session, 'instanceId' | 'log'>,
  keys: Keys,
): void {
  const queue = new KeyedQueue();
  socket.ev.on('labels.edit', (label) => {
    queue
      .run(KEY_TYPE, () =>
        keys.set(session.instanceId, [{ type: KEY_TYPE, id: label.id, value: toStoredValue(label) }]),
      )
      .catch((err: unknown) => session.log.error({ err }, 'label.write.failed'));
  });
}

/** Returns the labels that the phone has sent so far, sorted by id. */
export async function findLabels(keys: Keys, instanceId: string): Promise<Label[]> {
  const rows = [...(await keys.readAll(instanceId, KEY_TYPE)).values()];
  const labels = rows.map((bytes) => JSON.parse(Buffer.from(bytes).toString()) as Label);
  return labels.sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
}

/** Returns the stored value of a label, or null for a deleted label. Null deletes the stored value. */
function toStoredValue({ id, name, color, predefinedId, deleted }: SocketEvents['labels.edit']): Uint8Array | null {
  if (deleted) return null;
  const label: Label = { id, name: name ?? '', color: color ?? 0, ...(predefinedId ? { predefinedId } : {}) };
  return Buffer.from(JSON.stringify(label));
}
