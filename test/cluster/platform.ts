// The simulated platform in a process of its own, started like `npm run sandbox -- --platform`, and its controls.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceSessions } from '../../packages/sandbox/src/world/sessions.ts';
import { runProgram } from './program.ts';

export interface ShownMessage {
  text: string;
  id: string;
}

export interface Platform {
  /** The settings with which a gateway uses the platform. */
  readonly env: Record<string, string>;
  /** Scans a QR code with the phone of `number`. Resolves when the device is linked. */
  scan(number: string, code: string): Promise<void>;
  /** Sends a text from one number to another. Resolves with the message id when the platform has accepted it. */
  send(from: string, to: string, text: string): Promise<string>;
  /** The texts from other numbers that the phone of `number` shows. */
  shownMessages(number: string): Promise<ShownMessage[]>;
  sessions(): Promise<DeviceSessions[]>;
  /** Stanzas that the platform could not answer. */
  unanswered(): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** Starts the platform, with its data and its log in `folder`. */
export async function startPlatform(folder: string): Promise<Platform> {
  mkdirSync(folder, { recursive: true });
  const program = runProgram(
    ['packages/sandbox/src/process/cli.ts', '--platform'],
    { DATA_DIR: join(folder, 'platform'), SANDBOX_PORT: '0', LOG_LEVEL: 'warn' },
    join(folder, 'platform.log'),
  );
  const endpoints: Record<'platformUrl' | 'rootKey' | 'caFile' | 'control', string> = JSON.parse(
    await program.line(/^\{"platformUrl"/),
  );
  const request = async (path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const post = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(endpoints.control + path, body ? post : {});
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    env: {
      PLATFORM_URL: endpoints.platformUrl,
      PLATFORM_ROOT_KEY: endpoints.rootKey,
      NODE_EXTRA_CA_CERTS: endpoints.caFile,
    },
    scan: async (number, code) => void (await request(`/phones/${number}/scan`, { code })),
    async send(from, to, text) {
      const { id } = (await request(`/phones/${from}/messages`, { to, text })) as { id: string };
      return id;
    },
    async shownMessages(number) {
      const messages = (await request(`/phones/${number}/messages`)) as { from: string; id: string; text?: string }[];
      return messages.flatMap(({ from, id, text }) => (from === number || text === undefined ? [] : [{ text, id }]));
    },
    sessions: async () => (await request('/sessions')) as DeviceSessions[],
    unanswered: async () => (await request('/log')) as unknown[],
    async stop() {
      program.signal('SIGTERM');
      await program.ended;
    },
  };
}
