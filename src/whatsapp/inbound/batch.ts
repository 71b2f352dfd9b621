// A batch of Baileys events: everything that Baileys emits at one time, by event name.
import type { SocketEvents } from '../baileys/types.ts';

export type Batch = Partial<SocketEvents>;
