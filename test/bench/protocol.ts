// Messages between bench.ts and its child processes (child_process IPC, JSON).

export interface LoadShape {
  /** Number of sends. */
  count: number;
  /** Number of sends in flight at the same time. */
  concurrency: number;
  /** Recipients (numbers or groups), which are used in turn. */
  targets: string[];
  /** Content of the sends instead of a text. */
  picture?: Picture;
}

/** A picture and the form in which the sender gets it. */
export interface Picture {
  as: 'url' | 'base64' | 'form';
  url: string;
  base64: string;
}

export interface LoadResult {
  /** Duration of the whole run, ms. */
  elapsed: number;
  /** Duration of each send in ms, in order of completion. */
  latencies: number[];
  /** CPU time (user and system) of the sending process, ms. */
  cpu: number;
}

/** Options of plain Baileys. `{}` means its defaults. */
export interface PlainOptions {
  /** Disables optional features that use CPU time or memory. */
  isLean?: boolean;
  /** Caches the metadata of groups in memory. */
  areGroupsCached?: boolean;
}

export type Request =
  | { do: 'provision'; number: string }
  /** Resolves with the certificate authority of the media host of the platform, PEM. */
  | { do: 'ca' }
  | { do: 'scan'; number: string; code: string }
  | { do: 'open'; url: string; rootKey: string; creds: string; options: PlainOptions }
  | { do: 'send'; load: LoadShape }
  | { do: 'inbound'; from: string; to: string; text: string }
  | { do: 'received'; number: string }
  /** To plain Baileys: starts a server for requests that each send a text or a picture. Resolves with the URL. */
  | { do: 'listen' }
  /** To plain Baileys: posts each message that it receives afterwards to a URL. */
  | { do: 'post'; url: string }
  /** To plain Baileys: resolves after `count` received messages in total. */
  | { do: 'await'; count: number }
  | { do: 'group'; members: string[]; mode: 'lid' | 'pn' }
  | { do: 'queue'; url: string; count: number }
  | { do: 'offer'; url: string; count: number; perSecond: number; chats: number }
  | { do: 'replay'; url: string }
  | { do: 'read'; count: number }
  | { do: 'memory' }
  | { do: 'rss' };

export type Reply = { id: number; result?: unknown; error?: string };

/** Runs `task` `count` times, `concurrency` at a time. Resolves with the duration of each task in ms. */
export async function drive(load: LoadShape, task: (target: string, n: number) => Promise<void>): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const worker = async () => {
    while (next < load.count) {
      const n = next++;
      const taskStartedAt = performance.now();
      await task(load.targets[n % load.targets.length] ?? '', n);
      latencies.push(performance.now() - taskStartedAt);
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, worker));
  const elapsed = performance.now() - startedAt;
  const used = process.cpuUsage(cpuBefore);
  return { elapsed, latencies, cpu: (used.user + used.system) / 1000 };
}

/** Answers requests of the parent process with `handle`. The result or the error has the id of the request. */
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
