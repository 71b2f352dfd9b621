// The server that the interop tests use: a sandbox in this process or, with PLATFORM_URL, a server that runs elsewhere.
import { readFileSync } from 'node:fs';
import { createControl } from '../../../packages/sandbox/src/control/control.ts';
import { createSandbox } from '../../../packages/sandbox/src/sandbox.ts';
import type { PlatformEndpoint } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { type Api, createControls } from '../../support/api.ts';

export interface Platform {
  readonly endpoint: PlatformEndpoint & { url: string };
  /** Calls the control API, with which tests act as phones. */
  readonly control: Api;
  /** Stanzas that the server could not answer since the platform was opened. */
  unanswered(): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Opens the platform under test. README.md lists the variables that select another server. */
export async function openPlatform(): Promise<Platform> {
  const { env } = process;
  return env.PLATFORM_URL ? connectPlatform(env.PLATFORM_URL, env) : startPlatform();
}

/** Starts a sandbox in this process, even when the variables name another server. */
export async function startPlatform(): Promise<Platform> {
  const sandbox = await createSandbox({ strict: false });
  const control = createControl(sandbox);
  const controlUrl = await control.listen(0);
  const url = sandbox.secureUrl ?? sandbox.platformUrl;
  return {
    endpoint: { network: 'sandbox', url, rootKey: sandbox.rootKey, ca: sandbox.caPem },
    control: createControls(controlUrl),
    unanswered: async () => [...sandbox.unanswered],
    async close() {
      await control.close();
      await sandbox.close();
    },
  };
}

/** Connects to a server that runs elsewhere. Throws when a variable is missing that PLATFORM_URL needs. */
async function connectPlatform(url: string, env: NodeJS.ProcessEnv): Promise<Platform> {
  const required = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`${name} must be set together with PLATFORM_URL`);
    return value;
  };
  const rootKey = Buffer.from(required('PLATFORM_ROOT_KEY'), 'base64');
  const control = createControls(required('PLATFORM_CONTROL_URL').replace(/\/$/, ''));
  const ca = readFileSync(required('NODE_EXTRA_CA_CERTS'), 'utf8');
  const readLog = async (): Promise<unknown[]> => {
    const { body } = await control('GET', '/log');
    return Array.isArray(body) ? body : [];
  };
  const earlierCount = (await readLog()).length;
  return {
    endpoint: { network: 'sandbox', url, rootKey, ca },
    control,
    unanswered: async () => (await readLog()).slice(earlierCount),
    close: async () => undefined,
  };
}
