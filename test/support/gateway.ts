// One whole product for a test: simulated platform, gateway and webhook receiver in this process, torn down with the test.
// The test fails if an unexpected error was logged, the platform met a stanza it could not answer, or an answer or a post was not
// what the contract says.
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { createGateway, type Gateway } from '../../src/app/compose.ts';
import { type Config, loadConfig } from '../../src/config/load.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/observability/logger.ts';
import type { PlatformEndpoint } from '../../src/whatsapp/baileys/platform-endpoint.ts';
import { type Api, at, createApi, textAt } from './api.ts';
import { holdToContract } from './conforms.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export const KEY = 'test-key-0123456789abcdef';

/** A log line as the gateway wrote it. */
export interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

export interface World {
  readonly sandbox: Sandbox;
  readonly gateway: Gateway;
  /** Base URL of the gateway. */
  readonly url: string;
  readonly api: Api;
  readonly receiver: Receiver;
  readonly dataDir: string;
  readonly log: LogLine[];
  /** The first log line, past or coming, that matches; only those from index `after` of `log` on. */
  logged(matches: (line: LogLine) => boolean, after?: number): Promise<LogLine>;
  /** Creates an instance whose events go to the receiver, scans its QR with `number`, and waits until it is open. */
  link(name: string, number: string): Promise<void>;
  /** Log messages of level error that the test provokes on purpose. */
  expectErrors(...patterns: RegExp[]): void;
  /** Stops the gateway and starts another one on the same data. */
  restart(env?: Record<string, string>): Promise<void>;
  /** Starts another gateway on the same data, beside the first. */
  join(env?: Record<string, string>): Promise<{ gateway: Gateway; api: Api }>;
}

export interface WorldOptions {
  env?: Record<string, string>;
  /** Values that no setting allows, such as times that are too short for an operator. */
  config?: Partial<Config>;
  sandbox?: Parameters<typeof createSandbox>[0];
  /** The clock of the gateway; default: the clock of the system. */
  clock?: Clock;
}

/** Log lines, and the news of each. */
export class Log extends EventEmitter<{ line: [LogLine] }> {
  readonly lines: LogLine[] = [];

  write(text: string): void {
    const line = JSON.parse(text) as LogLine;
    this.lines.push(line);
    this.emit('line', line);
  }

  next(matches: (line: LogLine) => boolean, after = 0): Promise<LogLine> {
    const known = this.lines.slice(after).find(matches);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => {
      const onLine = (line: LogLine) => {
        if (!matches(line)) return;
        this.off('line', onLine);
        resolve(line);
      };
      this.on('line', onLine);
    });
  }
}

/** Starts a gateway on the data in `dataDir` and returns it with its base URL. */
export async function startGateway(
  endpoint: PlatformEndpoint,
  dataDir: string,
  log: Log,
  env: Record<string, string>,
  { config: override, clock }: Pick<WorldOptions, 'config' | 'clock'> = {},
): Promise<{ gateway: Gateway; url: string }> {
  const loaded = loadConfig({
    // Many worlds at once on a small machine are slow, not overloaded.
    OVERLOAD_DELAY: '0',
    OVERLOAD_SEND_TIME: '0',
    API_KEY: KEY,
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    // Tests that need ffmpeg name its path. The search for it copies the memory map of the process.
    FFMPEG_PATH: 'none',
    ...env,
  });
  const config = { ...loaded, ...override };
  const logger = createLogger(config, log);
  const gateway = await createGateway(config, { endpoint, log: logger, ...(clock && { clock }) });
  const { url } = await gateway.start();
  return { gateway, url };
}

/** Starts platform, gateway and receiver. */
export async function startWorld({ env = {}, sandbox: sandboxOptions, ...more }: WorldOptions = {}): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const log = new Log().setMaxListeners(0);
  const expected: RegExp[] = [];
  // Most of the time of a link would go into the 812 keys.
  const sandbox = await createSandbox({ extraReportedPreKeys: 1, ...(sandboxOptions ?? { tlsPort: false }) });
  const { platformUrl, rootKey, caPem } = sandbox;
  const endpoint: PlatformEndpoint = { network: 'sandbox', url: platformUrl, rootKey, ca: caPem };
  const receiver = await startReceiver();
  holdToContract(receiver);
  let { gateway, url } = await startGateway(endpoint, dataDir, log, env, more);
  let api = createApi(url, KEY);
  const others: Gateway[] = [];
  onTestFinished(async () => {
    await Promise.all([gateway, ...others].map((each) => each.stop()));
    await receiver.stop();
    await sandbox.close();
    rmSync(dataDir, { recursive: true, force: true });
    const surprises = log.lines.filter(
      (line) => line.level >= 50 && !expected.some((pattern) => pattern.test(line.msg)),
    );
    expect(surprises).toEqual([]);
    expect(sandbox.unanswered).toEqual([]);
  });
  return {
    sandbox,
    receiver,
    dataDir,
    log: log.lines,
    logged: (matches, after) => log.next(matches, after),
    get gateway() {
      return gateway;
    },
    get url() {
      return url;
    },
    get api() {
      return api;
    },
    expectErrors: (...patterns) => void expected.push(...patterns),
    async link(name, number) {
      const created = await api('POST', '/instance/create', {
        instanceName: name,
        qrcode: true,
        webhook: receiver.url,
      });
      expect(created.status, JSON.stringify(created.body)).toBe(201);
      await sandbox.pairing.scanQr(number, textAt(created.body, 'qrcode.code'));
      await receiver.next((post) => isState(post.body, name, 'open'));
    },
    async restart(next = {}) {
      await gateway.stop();
      ({ gateway, url } = await startGateway(endpoint, dataDir, log, { ...env, ...next }, more));
      api = createApi(url, KEY);
    },
    async join(next = {}) {
      const other = await startGateway(endpoint, dataDir, log, { ...env, ...next }, more);
      others.push(other.gateway);
      return { gateway: other.gateway, api: createApi(other.url, KEY) };
    },
  };
}

/** Whether a webhook body says that the instance reached the state. */
export function isState(body: unknown, instance: string, state: string): boolean {
  return isEvent(body, 'connection.update', instance) && at(body, 'data.state') === state;
}

/** Whether a webhook body is this event of this instance. */
export function isEvent(body: unknown, event: string, instance?: string): boolean {
  return at(body, 'event') === event && (instance === undefined || at(body, 'instance') === instance);
}

/** Whether a log line says that the machine of an instance entered the phase. */
export function isTransition(line: LogLine, to: string): boolean {
  return line.msg === 'instance.state.changed' && line.to === to;
}
