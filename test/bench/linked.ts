// Gateways with linked instances. Before the start, the benchmark writes credentials of the platform to the store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import type { openStorage } from '../../src/storage/open.ts';
import { instance } from '../support/sample-rows.ts';
import { CHECKOUT, type Child, type ServerProcess, startGateway } from './processes.ts';

export const KEY = 'bench-key-0123456789abcdef';

export interface Provisioned {
  url: string;
  rootKey: string;
  creds: string;
}

export interface LinkedGateway extends ServerProcess {
  /** Instance names, in the order of the numbers. */
  readonly names: readonly string[];
}

function createRow(name: string, number: string): InstanceRow {
  const now = Date.now();
  return instance(crypto.randomUUID(), { name, ownerJid: `${number}@s.whatsapp.net`, createdAt: now, updatedAt: now });
}

interface Store {
  dataDir: string;
  databaseUrl?: string;
  encryptionKey?: string;
}

/**
 * Writes one linked instance per number with the storage of the checkout in `folder`. Resolves with the names of the
 * instances and the settings of a gateway for the platform.
 */
export async function provision(platform: Child, numbers: readonly string[], store: Store, folder = CHECKOUT) {
  const { openStorage: open }: { openStorage: typeof openStorage } = await import(join(folder, 'src/storage/open.ts'));
  const storage = await open({ ...store, network: 'sandbox' });
  let provisioned: Provisioned | undefined;
  const names: string[] = [];
  for (const number of numbers) {
    provisioned = await platform.ask<Provisioned>({ do: 'provision', number });
    const instance = createRow(`bench-${number}`, number);
    await storage.instances.create(instance);
    await storage.authKeys.setCreds(instance.id, Buffer.from(provisioned.creds));
    names.push(instance.name);
  }
  await storage.close();
  return { names, env: { PLATFORM_URL: provisioned?.url ?? '', PLATFORM_ROOT_KEY: provisioned?.rootKey ?? '' } };
}

/**
 * Starts a gateway with one linked instance per number, on SQLite without `databaseUrl`. Resolves when all instances
 * are open.
 */
export async function startLinked(
  platform: Child,
  numbers: readonly string[],
  webhook?: string,
  databaseUrl = '',
  settings: Record<string, string> = {},
  folder = CHECKOUT,
): Promise<LinkedGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const { names, env } = await provision(platform, numbers, { dataDir, databaseUrl }, folder);
  const gateway = await startGateway(
    {
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      API_KEY: KEY,
      // On a busy machine, the overload protection would refuse requests that the benchmark measures.
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
      ...env,
      ...settings,
    },
    folder,
  );
  for (const name of names) await waitOpen(gateway.url, name);
  if (webhook) for (const name of names) await setWebhook(gateway.url, name, webhook);
  return {
    ...gateway,
    names,
    async stop() {
      await gateway.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function waitOpen(url: string, name: string): Promise<void> {
  for (let n = 0; n < 2000; n++) {
    const response = await fetch(`${url}/instance/connectionState/${name}`, { headers: { apikey: KEY } });
    const body = (await response.json()) as { instance?: { state?: string } };
    if (body.instance?.state === 'open') return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${name} did not open`);
}

async function setWebhook(url: string, name: string, webhook: string): Promise<void> {
  const response = await fetch(`${url}/webhook/set/${name}`, {
    method: 'POST',
    headers: { apikey: KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ webhook: { enabled: true, url: webhook, events: ['MESSAGES_UPSERT'] } }),
  });
  if (response.status !== 201) throw new Error(`webhook not set: ${response.status} ${await response.text()}`);
}
