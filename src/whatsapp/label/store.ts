// The labels of an account, kept beside its keys: they come once, with the state its devices share, and go when it is unlinked.

import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { AuthKeys } from '../../storage/storage.ts';
import type { Socket, SocketEvents } from '../baileys/types.ts';
import type { Session } from '../session.ts';

export interface Label {
  id: string;
  name: string;
  /** The platform's number of the colour. */
  color: number;
  /** Of labels that every account has. */
  predefinedId?: string;
}

type Keys = Pick<AuthKeys, 'all' | 'set'>;

/** Their name among the keys; none of the library's. */
const KEY_TYPE = 'gateway-label';

/** Keeps what the session hears of labels, in order. */
export function installLabelStore(
  socket: Pick<Socket, 'ev'>,
  session: Pick<Session, 'instanceId' | 'log'>,
  keys: Keys,
): void {
  const queue = new KeyedQueue();
  socket.ev.on('labels.edit', (label) => {
    queue
      .run(KEY_TYPE, () => keys.set(session.instanceId, [{ type: KEY_TYPE, id: label.id, value: toBytes(label) }]))
      .catch((err: unknown) => session.log.error({ err }, 'label.unstored'));
  });
}

/** By their ids, as far as the phone has handed them over. */
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
