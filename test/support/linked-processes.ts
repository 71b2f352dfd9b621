// Gateways in processes of their own, whose instances are already linked. The credentials come from the platform, which
// runs in the process of the test.
import { onTestFinished } from 'vitest';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { openStorage } from '../../src/storage/open.ts';
import { encodeCreds } from '../../src/whatsapp/baileys/auth/codec.ts';
import { type Api, createApi } from './api.ts';
import { emptyFolder } from './folder.ts';
import { KEY } from './gateway.ts';
import { freePort } from './port.ts';
import { type Program, type RunOptions, run } from './process.ts';
import { instance, webhook } from './sample-rows.ts';

export const numberOf = (n: number) => String(15550018000 + n);
export const nameOf = (n: number) => `n${n}`;

export interface LinkedStore {
  sandbox: Sandbox;
  dataDir: string;
  databaseUrl?: string;
}

/**
 * Creates a store with `count` linked instances (n1, n2 … with the keys key-of-1 …) that the platform knows. Their
 * events go to the URL `hook`.
 */
export async function createLinkedStore(
  count: number,
  { databaseUrl, hook = 'http://127.0.0.1:9/' }: { databaseUrl?: string; hook?: string } = {},
): Promise<LinkedStore> {
  const dataDir = emptyFolder();
  const sandbox = await createSandbox({ tlsPort: false });
  onTestFinished(() => sandbox.close());
  const storage = await openStorage({ dataDir, network: 'sandbox', databaseUrl });
  for (let n = 1; n <= count; n++) {
    const id = `id-${n}`;
    const ownerJid = `${numberOf(n)}@s.whatsapp.net`;
    await storage.instances.create(instance(id, { name: nameOf(n), token: `key-of-${n}`, ownerJid, createdAt: n }));
    await storage.authKeys.setCreds(id, encodeCreds(sandbox.provision(numberOf(n))));
    await storage.webhooks.put(webhook(`w-${n}`, { instanceId: id, url: hook, events: [] }));
  }
  await storage.close();
  return { sandbox, dataDir, databaseUrl };
}

/**
 * Starts a gateway on a store. `via` are further arguments of node. Does not wait until the gateway is ready. The end
 * of the test stops the gateway, unless `atEnd` is given.
 */
export async function startGatewayProcess(
  { sandbox, dataDir, databaseUrl }: LinkedStore,
  env: Record<string, string> = {},
  via: readonly string[] = [],
  atEnd?: RunOptions['atEnd'],
): Promise<{ program: Program; api: Api }> {
  const port = await freePort();
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    API_KEY: KEY,
    OVERLOAD_DELAY: '0',
    OVERLOAD_SEND_TIME: '0',
    PLATFORM_URL: sandbox.platformUrl,
    PLATFORM_ROOT_KEY: sandbox.rootKey.toString('base64'),
    // A gateway that is started again is the same node, regardless of its port.
    ...(databaseUrl ? { DATABASE_URL: databaseUrl, NODE_NAME: 'node' } : {}),
    ...env,
  };
  const program = run([...via, 'src/server.ts'], settings, { atEnd });
  return { program, api: createApi(`http://127.0.0.1:${port}`, KEY) };
}

/** Resolves when the log of the gateway shows that the instance is open. */
export const waitUntilOpen = (program: Program, n = 1) =>
  program.line(new RegExp(`"instance":"${nameOf(n)}".*"to":"open"`));
