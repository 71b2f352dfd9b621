// What is attacked: a gateway in a process of its own with linked instances, on a platform that lives here, and what they send each other.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { Channel } from '../../packages/sandbox/src/world/channel.ts';
import type { Companion } from '../../packages/sandbox/src/world/model.ts';
import { Contention } from './contention.ts';
import { type GatewayProcess, startGateway } from './gateway.ts';
import type { Access } from './requests.ts';
import { type Site, startSite } from './site.ts';
import type { Names } from './values.ts';

export const KEY = 'fuzz-key-0123456789abcdef';

/** What an instance is there for: messages, stanzas and requests attack some, and the bystander none. */
export type Role = 'message' | 'stanza' | 'request' | 'bystander';

export interface Target {
  name: string;
  role: Role;
  number: string;
}

export interface Stage {
  readonly sandbox: Sandbox;
  readonly site: Site;
  readonly gateway: GatewayProcess;
  readonly targets: readonly Target[];
  readonly names: Names;
  readonly access: Access;
  readonly channel: Channel;
  readonly contention: Contention;
  of(role: Role): Target[];
  companion(target: Target): Companion;
  /** Asks the gateway with the global key. */
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Empties the phones: what a long run sends does not fit into memory. */
  clearPhones(): void;
  /** Kills the gateway and starts it on the same data. */
  restart(): Promise<void>;
  /** A new gateway without data, and the instances linked to it. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

const COUNTS: Record<Role, number> = { message: 3, stanza: 8, request: 2, bystander: 1 };
const PHONES = 12;
const SPARE = ['spare1', 'spare2', 'spare3'];

export async function createStage(counts: Partial<Record<Role, number>> = {}): Promise<Stage> {
  const sandbox = await createSandbox({ tlsPort: false, strict: false, log: sandboxLog });
  const site = await startSite();
  const targets = Object.entries({ ...COUNTS, ...counts }).flatMap(([role, count]) =>
    Array.from({ length: count }, (_empty, n) => ({ name: `${role}${n + 1}`, role: role as Role })),
  );
  const numbered = targets.map((target, n) => ({ ...target, number: String(15_550_500_001 + n) }));
  const phones = Array.from({ length: PHONES }, (_empty, n) => String(15_550_600_001 + n));
  const tokens: Record<string, string> = Object.fromEntries(
    numbered.map(({ name }) => [name, `token-of-${name}-0123456789`]),
  );
  const readers = numbered.filter(({ role }) => role === 'message').map(({ number }) => number);
  const groups = phones
    .slice(0, 3)
    .map((phone) => sandbox.phones.phone(phone).createGroup(`Group of ${phone}`, [...readers, ...phones]).id);
  const owner = sandbox.world.account(phones[0] ?? '');
  const channel = sandbox.channels.create(owner, 'Fuzz', '');
  for (const number of readers) sandbox.channels.follow(channel, sandbox.world.account(number));
  const contention = new Contention();
  let dataDir = emptyFolder();
  let gateway: GatewayProcess | undefined;

  const environment = () => ({
    DATA_DIR: dataDir,
    API_KEY: KEY,
    ...(process.env.FUZZ_PROFILE ? { FUZZ_PROFILE: process.env.FUZZ_PROFILE } : {}),
    LOG_LEVEL: process.env.FUZZ_LOG ? 'debug' : 'warn',
    LOG_BAILEYS: process.env.FUZZ_LOG ? 'debug' : 'silent',
    OVERLOAD_DELAY: '0',
    OVERLOAD_SEND_TIME: '0',
    AUTH_FAILURE_LIMIT: '0',
    MAX_DELAY: '100',
    MEDIA_TIMEOUT: '1000',
    EGRESS_ALLOW: '127.0.0.1/32',
    PLATFORM_URL: sandbox.platformUrl,
    PLATFORM_ROOT_KEY: sandbox.rootKey.toString('base64'),
    WEBHOOK_GLOBAL_ENABLED: 'true',
    WEBHOOK_GLOBAL_URL: site.url,
  });
  const running = (): GatewayProcess => {
    if (!gateway) throw new Error('the gateway was not started');
    return gateway;
  };

  const stage: Stage = {
    sandbox,
    site,
    targets: numbered,
    channel,
    contention,
    names: {
      numbers: numbered.map(({ number }) => number),
      lids: numbered.map(({ number }) => sandbox.world.account(number).lid),
      groups,
      channels: [channel.id],
      phones,
      site: site.url,
    },
    access: {
      global: KEY,
      instances: tokens,
      linked: namesOf(numbered, 'request'),
      readable: namesOf(numbered, 'message'),
      spare: SPARE,
    },
    get gateway() {
      return running();
    },
    of: (role) => numbered.filter((target) => target.role === role),
    companion({ number }) {
      const companion = [...sandbox.world.account(number).companions.values()].at(-1);
      if (!companion) throw new Error(`${number} is not linked`);
      return companion;
    },
    async api(method, path, body) {
      const response = await fetch(running().url + path, {
        method,
        headers: { apikey: KEY, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      return { status: response.status, body: await response.json().catch(() => undefined) };
    },
    clearPhones() {
      for (const { number } of sandbox.world.accounts()) sandbox.phones.phone(number).mailbox.clear();
    },
    async restart() {
      await gateway?.kill();
      gateway = await startGateway(environment());
    },
    async renew() {
      await gateway?.kill();
      rmSync(dataDir, { recursive: true, force: true });
      dataDir = emptyFolder();
      for (const { number } of numbered) unlinkAll(sandbox, number);
      gateway = await startGateway(environment());
      for (const target of numbered) await link(stage, target, tokens[target.name] ?? '');
      await settled(stage);
    },
    async close() {
      await gateway?.kill();
      contention.close();
      site.close();
      await sandbox.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return stage;
}

const ignore = (): void => undefined;

/** What the platform could not read of what the gateway sent, for the log of the gateway. */
const sandboxLog = {
  debug: ignore,
  warn: ignore,
  error({ err }: { err?: unknown }, event: string): void {
    if (process.env.FUZZ_LOG)
      appendFileSync(process.env.FUZZ_LOG, `${event} ${err instanceof Error ? err.stack : err}\n`);
  },
};

const emptyFolder = () => mkdtempSync(join(tmpdir(), 'gateway-fuzz-'));

const namesOf = (targets: readonly Target[], role: Role) =>
  targets.filter((each) => each.role === role).map(({ name }) => name);

function unlinkAll(sandbox: Sandbox, number: string): void {
  for (const companion of [...sandbox.world.account(number).companions.values()]) sandbox.pairing.unlink(companion);
}

/** ms that a linked instance takes for its keys and the first state. */
const SETTLING = 4_000;

/** Resolves when every instance is open and has done what follows linking. */
async function settled({ api, targets }: Stage): Promise<void> {
  for (const { name } of targets) {
    for (;;) {
      const { body } = await api('GET', `/instance/connectionState/${name}`);
      if (Object(body).instance?.state === 'open') break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLING));
}

/** Creates the instance and scans its QR code. */
async function link({ api, sandbox }: Stage, { name, number }: Target, token: string): Promise<void> {
  const { status, body } = await api('POST', '/instance/create', { instanceName: name, token, qrcode: true });
  const code: unknown = Object(body).qrcode?.code;
  if (status !== 201 || typeof code !== 'string')
    throw new Error(`${name} was not created: ${status} ${JSON.stringify(body)}`);
  await sandbox.pairing.scanQr(number, code);
}
