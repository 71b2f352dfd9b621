// The attacked system: a gateway in a separate process with linked instances, and the simulated platform in this
// process.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { Channel } from '../../packages/sandbox/src/world/channel.ts';
import type { Companion } from '../../packages/sandbox/src/world/model.ts';
import { Contention } from './contention.ts';
import { type GatewayProcess, startGateway } from './gateway.ts';
import { type Site, startSite } from './http-server.ts';
import type { Access } from './requests.ts';
import type { Names } from './values.ts';

export const KEY = 'fuzz-key-0123456789abcdef';

/** The input that attacks an instance. No input attacks a `bystander`. */
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
  targetsOf(role: Role): Target[];
  companion(target: Target): Companion;
  /** Calls the gateway with the global key. */
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Deletes the messages of all phones. The messages of a long run do not fit into memory. */
  clearPhones(): void;
  /** Kills the gateway and starts it on the same data. */
  restart(): Promise<void>;
  /** Starts a new gateway without data and links all instances again. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_COUNTS: Record<Role, number> = { message: 3, stanza: 8, request: 2, bystander: 1 };
const PHONES = 12;
const SPARE_NAMES = ['spare1', 'spare2', 'spare3'];

export async function createStage(counts: Partial<Record<Role, number>> = {}): Promise<Stage> {
  const sandbox = await createSandbox({ tlsPort: false, strict: false, log: sandboxLog });
  const site = await startSite();
  const targets = Object.entries({ ...DEFAULT_COUNTS, ...counts }).flatMap(([role, count]) =>
    Array.from({ length: count }, (_empty, n) => ({ name: `${role}${n + 1}`, role: role as Role })),
  );
  const numberedTargets = targets.map((target, n) => ({ ...target, number: String(15_550_500_001 + n) }));
  const phones = Array.from({ length: PHONES }, (_empty, n) => String(15_550_600_001 + n));
  const tokens: Record<string, string> = Object.fromEntries(
    numberedTargets.map(({ name }) => [name, `token-of-${name}-0123456789`]),
  );
  const readers = numberedTargets.filter(({ role }) => role === 'message').map(({ number }) => number);
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
  const requireGateway = (): GatewayProcess => {
    if (!gateway) throw new Error('the gateway was not started');
    return gateway;
  };

  const stage: Stage = {
    sandbox,
    site,
    targets: numberedTargets,
    channel,
    contention,
    names: {
      numbers: numberedTargets.map(({ number }) => number),
      lids: numberedTargets.map(({ number }) => sandbox.world.account(number).lid),
      groups,
      channels: [channel.id],
      phones,
      site: site.url,
    },
    access: {
      global: KEY,
      instances: tokens,
      linked: namesOf(numberedTargets, 'request'),
      readable: namesOf(numberedTargets, 'message'),
      spare: SPARE_NAMES,
    },
    get gateway() {
      return requireGateway();
    },
    targetsOf: (role) => numberedTargets.filter((target) => target.role === role),
    companion({ number }) {
      const companion = [...sandbox.world.account(number).companions.values()].at(-1);
      if (!companion) throw new Error(`${number} is not linked`);
      return companion;
    },
    async api(method, path, body) {
      const response = await fetch(requireGateway().url + path, {
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
      for (const { number } of numberedTargets) unlinkAll(sandbox, number);
      gateway = await startGateway(environment());
      for (const target of numberedTargets) await link(stage, target, tokens[target.name] ?? '');
      await waitUntilSettled(stage);
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

/** Writes the errors of the platform about stanzas of the gateway to the file FUZZ_LOG. */
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
  targets.filter((target) => target.role === role).map(({ name }) => name);

function unlinkAll(sandbox: Sandbox, number: string): void {
  for (const companion of [...sandbox.world.account(number).companions.values()]) sandbox.pairing.unlink(companion);
}

/** ms in which a linked instance uploads its keys and syncs its first state. No event reports the end of this work. */
const SETTLE_TIME = 4_000;

/** Resolves when every instance is open and has finished the work after linking. */
async function waitUntilSettled({ api, targets }: Stage): Promise<void> {
  for (const { name } of targets) {
    for (;;) {
      const { body } = await api('GET', `/instance/connectionState/${name}`);
      if (Object(body).instance?.state === 'open') break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_TIME));
}

/** Creates the instance and scans its QR code. */
async function link({ api, sandbox }: Stage, { name, number }: Target, token: string): Promise<void> {
  const { status, body } = await api('POST', '/instance/create', { instanceName: name, token, qrcode: true });
  const code: unknown = Object(body).qrcode?.code;
  if (status !== 201 || typeof code !== 'string')
    throw new Error(`${name} was not created: ${status} ${JSON.stringify(body)}`);
  await sandbox.pairing.scanQr(number, code);
}
