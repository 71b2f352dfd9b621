// A batch: the Baileys events that arrive together, with one payload per event name.
import type { SocketEvents } from '../baileys/types.ts';

export type Batch = Partial<SocketEvents>;
