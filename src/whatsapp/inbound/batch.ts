// A batch: the Baileys events that arrive together, by event name.
import type { SocketEvents } from '../baileys/types.ts';

export type Batch = Partial<SocketEvents>;
