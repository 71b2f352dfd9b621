// Messages between bench.ts and its child processes (child_process IPC, JSON).

export interface LoadShape {
  /** Sends to make. */
  count: number;
  /** Sends in flight at once. */
  concurrency: number;
  /** Numbers or groups to send to, taken in turn. */
  targets: string[];
}

export interface LoadResult {
  /** Whole run, ms. */
  elapsed: number;
  /** Per send, ms, in order of completion. */
  latencies: number[];
  /** CPU of the process that sends, ms (user + system). */
  cpu: number;
}

export type Request =
  | { do: 'provision'; number: string }
  | { do: 'scan'; number: string; code: string }
  | { do: 'open'; url: string; rootKey: string; creds: string; lean: boolean }
  | { do: 'send'; load: LoadShape }
  | { do: 'inbound'; from: string; to: string; text: string }
  | { do: 'received'; number: string }
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
