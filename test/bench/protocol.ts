// Messages between bench.ts and its child processes (child_process IPC, JSON).

export interface LoadShape {
  /** Sends to make. */
  count: number;
  /** Sends in flight at once. */
  concurrency: number;
  /** Numbers or groups to send to, taken in turn. */
  targets: string[];
  /** Sent instead of a text. */
  picture?: Picture;
}

/** A picture, and how the sender gets it. */
export interface Picture {
  as: 'url' | 'base64' | 'form';
  url: string;
  base64: string;
}

export interface LoadResult {
  /** Whole run, ms. */
  elapsed: number;
  /** Per send, ms, in order of completion. */
  latencies: number[];
  /** CPU of the process that sends, ms (user + system). */
  cpu: number;
}

/** Options of plain Baileys; {} for its defaults. */
export interface PlainOptions {
  /** Switches off what costs and can be switched off. */
  isLean?: boolean;
  /** Keeps the metadata of groups in memory. */
  areGroupsCached?: boolean;
}

export type Request =
  | { do: 'provision'; number: string }
  /** Certificate authority of the platform's media host, PEM. */
  | { do: 'ca' }
  | { do: 'scan'; number: string; code: string }
  | { do: 'open'; url: string; rootKey: string; creds: string; options: PlainOptions }
  | { do: 'send'; load: LoadShape }
  | { do: 'inbound'; from: string; to: string; text: string }
  | { do: 'received'; number: string }
  /** To plain Baileys: serves requests that each send a text or a picture. Resolves with the URL. */
  | { do: 'listen' }
  /** To plain Baileys: posts each message that it receives from now on to a URL. */
  | { do: 'post'; url: string }
  /** To plain Baileys: resolves when it has received `count` messages since it was opened. */
  | { do: 'await'; count: number }
  | { do: 'group'; members: string[]; mode: 'lid' | 'pn' }
  | { do: 'queue'; url: string; count: number }
  | { do: 'offer'; url: string; count: number; perSecond: number; chats: number }
  | { do: 'replay'; url: string }
  | { do: 'read'; count: number }
  | { do: 'memory' }
  | { do: 'rss' };

export type Reply = { id: number; result?: unknown; error?: string };

/** Runs `task` `count` times, `concurrency` at a time; returns each task's duration in ms. */
export async function drive(load: LoadShape, task: (target: string, n: number) => Promise<void>): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  const cpu = process.cpuUsage();
  const started = performance.now();
  const worker = async () => {
    while (next < load.count) {
      const n = next++;
      const at = performance.now();
      await task(load.targets[n % load.targets.length] ?? '', n);
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, worker));
  const elapsed = performance.now() - started;
  const used = process.cpuUsage(cpu);
  return { elapsed, latencies, cpu: (used.user + used.system) / 1000 };
}

/** Serves requests of the parent process with `handle`; the answer or the error goes back under the request's id. */
export function serve(handle: (request: Request) => Promise<unknown>): void {
  process.on('message', (message: { id: number; request: Request }) => {
    handle(message.request).then(
      (result) => process.send?.({ id: message.id, result }),
      (error: unknown) =>
        process.send?.({ id: message.id, error: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.send?.({ id: 0 });
}
