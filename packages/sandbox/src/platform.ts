// Runs the sandbox ("platform": the simulated WhatsApp server) and its control API as a process. Prints one line of
// JSON with the addresses that a gateway needs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { createControl } from './control.ts';
import { createSandbox } from './sandbox.ts';
import { isHost, LOOPBACK } from './wire/address.ts';

/** Prefix of every line on standard error. */
const NAME = 'messaging-gateway sandbox';
/** Maximum duration of a shutdown. */
const STOP_TIMEOUT_MS = 10_000;
/** Exit codes (sysexits.h), the same as those of the gateway: a port is in use; invalid settings. */
const PORT_IN_USE = 69;
const INVALID_CONFIG = 78;

interface PlatformSettings {
  /** IP address or host name under which clients reach the sandbox. */
  host: string;
  /** Port of the control API; 0: any free port. */
  controlPort: number;
  /** Port for `wss:` and `https:`; 0: any free port. */
  platformPort: number;
  /** Folder in which the CA certificate is stored. */
  dataDir: string;
  logLevel: string;
}

/** Throws Error when `text` is not a port number. */
function parsePort(name: string, text: string): number {
  const port = Number(text);
  if (text.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`invalid configuration:\n  - ${name} must be integer from 0 to 65535`);
  }
  return port;
}

/** Reads the settings (README.md lists them). Throws Error for an invalid value. */
function readSettings({
  SANDBOX_HOST: host = LOOPBACK,
  SANDBOX_PORT = '8081',
  SANDBOX_PLATFORM_PORT = '0',
  DATA_DIR: dataDir = './data',
  LOG_LEVEL: logLevel = 'warn',
}: NodeJS.ProcessEnv): PlatformSettings {
  const controlPort = parsePort('SANDBOX_PORT', SANDBOX_PORT);
  const platformPort = parsePort('SANDBOX_PLATFORM_PORT', SANDBOX_PLATFORM_PORT);
  if (!isHost(host)) throw new Error('invalid configuration:\n  - SANDBOX_HOST must be an IP address or a DNS name');
  if (!['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'].includes(logLevel)) {
    throw new Error('invalid configuration:\n  - LOG_LEVEL must be a level of pino');
  }
  return { host, controlPort, platformPort, dataDir, logLevel };
}

async function start({ host, controlPort, platformPort, dataDir, logLevel }: PlatformSettings): Promise<void> {
  const log = pino({ level: logLevel });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const sandbox = await createSandbox({ host, tlsPort: platformPort, strict: false, log });
  const control = createControl(sandbox, { host });
  const url = await control.listen(controlPort);
  const caFile = resolve(join(dataDir, 'sandbox-ca.pem'));
  writeFileSync(caFile, sandbox.caPem);
  closeWithGrace({ delay: STOP_TIMEOUT_MS, logger: console }, async ({ err }) => {
    if (err) log.fatal({ err }, 'sandbox.crashed');
    await control.close();
    await sandbox.close();
  });
  const { secureUrl, platformUrl, rootKey } = sandbox;
  const address = { platformUrl: secureUrl ?? platformUrl, rootKey: rootKey.toString('base64'), caFile, control: url };
  process.stdout.write(`${JSON.stringify(address)}\n`);
}

/** Starts the sandbox with the settings in `env`. When that fails, prints one sentence and ends the process. */
export async function runPlatform(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await start(readSettings(env));
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const sentence = isTaken
      ? 'the port is in use. Choose another SANDBOX_PORT or SANDBOX_PLATFORM_PORT.'
      : String(error).replace(/^Error: /, '');
    process.stderr.write(`${NAME}: ${sentence}\n`);
    process.exit(isTaken ? PORT_IN_USE : INVALID_CONFIG);
  }
}
