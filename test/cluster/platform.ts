// The simulated platform as a process of its own, as `npm run sandbox -- --platform` runs it, and its controls.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceSessions } from '../../packages/sandbox/src/world/sessions.ts';
import { runProgram } from './program.ts';

export interface Shown {
  text: string;
  id: string;
}

export interface Platform {
  /** What a gateway needs to know of it. */
  readonly env: Record<string, string>;
  /** Scans a QR code with the phone of `number`; resolves when the device is linked. */
  scan(number: string, code: string): Promise<void>;
  /** Sends a text from one number to another; resolves with the message id when the platform has it. */
  send(from: string, to: string, text: string): Promise<string>;
  /** What others sent to the phone of `number`, as it shows it. */
  shown(number: string): Promise<Shown[]>;
  sessions(): Promise<DeviceSessions[]>;
  /** Stanzas that the platform could not answer. */
  unanswered(): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** Its data and its log go to `folder`. */
export async function startPlatform(folder: string): Promise<Platform> {
  mkdirSync(folder, { recursive: true });
  const program = runProgram(
    ['packages/sandbox/src/process/cli.ts', '--platform'],
    { DATA_DIR: join(folder, 'platform'), SANDBOX_PORT: '0', LOG_LEVEL: 'warn' },
    join(folder, 'platform.log'),
  );
  const place: Record<'platformUrl' | 'rootKey' | 'caFile' | 'control', string> = JSON.parse(
    await program.line(/^\{"platformUrl"/),
  );
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const post = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(place.control + path, body ? post : {});
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    env: {
      PLATFORM_URL: place.platformUrl,
      PLATFORM_ROOT_KEY: place.rootKey,
      NODE_EXTRA_CA_CERTS: place.caFile,
    },
    scan: async (number, code) => void (await ask(`/phones/${number}/scan`, { code })),
    async send(from, to, text) {
      const { id } = (await ask(`/phones/${from}/messages`, { to, text })) as { id: string };
      return id;
    },
    async shown(number) {
      const messages = (await ask(`/phones/${number}/messages`)) as { from: string; id: string; text?: string }[];
      return messages.flatMap(({ from, id, text }) => (from === number || text === undefined ? [] : [{ text, id }]));
    },
    sessions: async () => (await ask('/sessions')) as DeviceSessions[],
    unanswered: async () => (await ask('/log')) as unknown[],
    async stop() {
      program.signal('SIGTERM');
      await program.ended;
    },
  };
}
