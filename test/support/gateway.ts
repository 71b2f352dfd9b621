// A complete product for a test: simulated platform, gateway and webhook receiver in this process. The end of the test
// stops them. The test fails if the gateway logged an unexpected error, if the platform received a stanza that it could
// not answer, or if an answer or a post violated the contract.
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
import { expectPostsConform } from './conforms.ts';
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
  /**
   * Resolves with the first log line that matches, including past lines. Ignores lines before index `after` of `log`.
   */
  logged(matches: (line: LogLine) => boolean, after?: number): Promise<LogLine>;
  /** Creates an instance whose events go to the receiver, scans its QR with `number`, and waits until it is open. */
  link(name: string, number: string): Promise<void>;
  /** Allows log lines of level error whose message matches one of the patterns. */
  expectErrors(...patterns: RegExp[]): void;
  /** Stops the gateway and starts a new one on the same data. */
  restart(env?: Record<string, string>): Promise<void>;
  /** Starts a second gateway on the same data, while the first one runs. */
  join(env?: Record<string, string>): Promise<{ gateway: Gateway; api: Api }>;
}

export interface WorldOptions {
  env?: Record<string, string>;
  /** Values that no setting allows, such as times that are too short for an operator. */
  config?: Partial<Config>;
  sandbox?: Parameters<typeof createSandbox>[0];
  /** The clock of the gateway. The default is the system clock. */
  clock?: Clock;
}

/** Collects log lines and emits the event `line` for each. */
export class Log extends EventEmitter<{ line: [LogLine] }> {
  readonly lines: LogLine[] = [];

  write(text: string): void {
    const line = JSON.parse(text) as LogLine;
    this.lines.push(line);
    this.emit('line', line);
  }

  next(matches: (line: LogLine) => boolean, after = 0): Promise<LogLine> {
    const match = this.lines.slice(after).find(matches);
    if (match) return Promise.resolve(match);
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
    // Many worlds at the same time on a small machine are slow. The gateways would refuse requests as overloaded.
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
export async function startWorld({
  env = {},
  sandbox: sandboxOptions,
  ...gatewayOptions
}: WorldOptions = {}): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const log = new Log().setMaxListeners(0);
  const expected: RegExp[] = [];
  // Without this option, a client uploads 812 prekeys, which takes most of the time of a link.
  const sandbox = await createSandbox({ extraReportedPreKeys: 1, ...(sandboxOptions ?? { tlsPort: false }) });
  const { platformUrl, rootKey, caPem } = sandbox;
  const endpoint: PlatformEndpoint = { network: 'sandbox', url: platformUrl, rootKey, ca: caPem };
  const receiver = await startReceiver();
  expectPostsConform(receiver);
  let { gateway, url } = await startGateway(endpoint, dataDir, log, env, gatewayOptions);
  let api = createApi(url, KEY);
  const otherGateways: Gateway[] = [];
  onTestFinished(async () => {
    await Promise.all([gateway, ...otherGateways].map((running) => running.stop()));
    await receiver.stop();
    await sandbox.close();
    rmSync(dataDir, { recursive: true, force: true });
    const unexpectedErrors = log.lines.filter(
      (line) => line.level >= 50 && !expected.some((pattern) => pattern.test(line.msg)),
    );
    expect(unexpectedErrors).toEqual([]);
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
      ({ gateway, url } = await startGateway(endpoint, dataDir, log, { ...env, ...next }, gatewayOptions));
      api = createApi(url, KEY);
    },
    async join(next = {}) {
      const other = await startGateway(endpoint, dataDir, log, { ...env, ...next }, gatewayOptions);
      otherGateways.push(other.gateway);
      return { gateway: other.gateway, api: createApi(other.url, KEY) };
    },
  };
}

/** True for the webhook body of a connection.update of the instance with this state. */
export function isState(body: unknown, instance: string, state: string): boolean {
  return isEvent(body, 'connection.update', instance) && at(body, 'data.state') === state;
}

/** True for the webhook body of this event. With `instance`, the event must be of this instance. */
export function isEvent(body: unknown, event: string, instance?: string): boolean {
  return at(body, 'event') === event && (instance === undefined || at(body, 'instance') === instance);
}

/** True for the log line of a transition of the state machine of an instance to the phase `to`. */
export function isTransition(line: LogLine, to: string): boolean {
  return line.msg === 'instance.state.changed' && line.to === to;
}
