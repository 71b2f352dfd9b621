// Runs the sandbox (the simulated WhatsApp server, "platform" in the names of settings) and its control API as a
// process. When both are ready, prints one line of JSON: the addresses, the root key (with which clients verify the
// server's certificate in the Noise handshake), and the path of the CA certificate.
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import { createControl } from '../control/control.ts';
import { createSandbox } from '../sandbox.ts';
import { isHost, LOOPBACK } from '../wire/address.ts';

/** Name of the program in error messages. */
const PROGRAM = 'messaging-gateway sandbox';
/** Maximum duration of a shutdown. */
const STOP_TIMEOUT_MS = 10_000;
/** Exit codes (sysexits.h), which the gateway also uses. */
const EXIT_PORT_IN_USE = 69;
const EXIT_INVALID_CONFIG = 78;

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

/**
 * The pino level for each name that LOG_LEVEL accepts, most verbose first. Names that pino does not know, such as
 * `dark`, come from other gateways.
 */
const LOG_LEVELS: Record<string, string> = {
  trace: 'trace',
  debug: 'debug',
  verbose: 'debug',
  dark: 'debug',
  info: 'info',
  log: 'info',
  webhooks: 'info',
  websocket: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'fatal',
  silent: 'silent',
};

/** Returns the most verbose level of a list such as `ERROR,WARN`. Throws Error for a name that is not a level. */
function parseLogLevel(list: string): string {
  const names = list.split(',').map((name) => name.trim().toLowerCase());
  if (names.some((name) => !Object.hasOwn(LOG_LEVELS, name))) {
    throw new Error(`invalid configuration:\n  - LOG_LEVEL must be one of ${Object.keys(LOG_LEVELS).join(', ')}`);
  }
  const mostVerbose = Object.keys(LOG_LEVELS).find((name) => names.includes(name));
  return LOG_LEVELS[mostVerbose ?? 'warn'] ?? 'warn';
}

/** Reads the settings (README.md lists them); an empty value counts as absent. Throws Error for an invalid value. */
function readSettings(env: NodeJS.ProcessEnv): PlatformSettings {
  const read = (name: string, fallback: string) => env[name]?.trim() || fallback;
  const host = read('SANDBOX_HOST', LOOPBACK);
  if (!isHost(host)) throw new Error('invalid configuration:\n  - SANDBOX_HOST must be an IP address or a DNS name');
  return {
    host,
    controlPort: parsePort('SANDBOX_PORT', read('SANDBOX_PORT', '8081')),
    platformPort: parsePort('SANDBOX_PLATFORM_PORT', read('SANDBOX_PLATFORM_PORT', '0')),
    dataDir: read('DATA_DIR', './data'),
    logLevel: parseLogLevel(read('LOG_LEVEL', 'warn')),
  };
}

/** Creates the folder, which only its owner can access. Throws Error when the folder cannot be used. */
function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${reason}. Choose another DATA_DIR.`, { cause });
  }
}

/**
 * Whether the error comes from a system call, such as a write to a reset connection. The process can continue after
 * such an error, because only the socket is affected.
 */
const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error;

/**
 * Installs handlers that call `stop` after a signal or an uncaught exception, and then end the process. Unhandled
 * rejections and failed system calls are only logged, because test clients send invalid bytes on purpose.
 */
function installShutdown(log: Logger, stop: () => Promise<void>): void {
  let crash: { error: unknown } | undefined;
  const ignore = (err: unknown) => log.error({ err }, 'sandbox.error.ignored');
  const { close } = closeWithGrace(
    // `skip`: these two events have their own handlers below.
    { delay: STOP_TIMEOUT_MS, logger: console, skip: ['uncaughtException', 'unhandledRejection'] },
    async () => {
      await stop();
      // Otherwise a line that is being written could come after later ones.
      await new Promise<void>((resolve) => log.flush(() => resolve()));
      // An error that this function throws makes the exit code 1.
      if (crash) throw crash.error;
    },
  );
  process.on('unhandledRejection', ignore);
  process.on('uncaughtException', (err) => {
    if (isSystemError(err)) return ignore(err);
    log.fatal({ err }, 'sandbox.crashed');
    if (crash) return;
    crash = { error: err };
    close();
  });
}

async function start({ host, controlPort, platformPort, dataDir, logLevel }: PlatformSettings): Promise<void> {
  // With `minLength: 0`, the default, flush() does not wait for the line that is being written.
  const log = pino({ level: logLevel }, pino.destination({ fd: 1, minLength: 1 }));
  prepareDataDir(dataDir);
  // `strict: false` logs unanswered stanzas as warnings.
  const sandbox = await createSandbox({ host, tlsPort: platformPort, strict: false, log });
  const control = createControl(sandbox, { host });
  const controlUrl = await control.listen(controlPort);
  const caFile = resolve(join(dataDir, 'sandbox-ca.pem'));
  writeFileSync(caFile, sandbox.caPem);
  installShutdown(log, async () => {
    await control.close();
    await sandbox.close();
  });
  const { secureUrl, platformUrl, rootKey } = sandbox;
  const output = {
    platformUrl: secureUrl ?? platformUrl,
    rootKey: rootKey.toString('base64'),
    caFile,
    control: controlUrl,
  };
  process.stdout.write(`${JSON.stringify(output)}\n`);
}

/** Starts the sandbox with the settings in `env`. When that fails, prints the cause and ends the process. */
export async function runPlatform(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await start(readSettings(env));
  } catch (error) {
    const isPortInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const message = isPortInUse
      ? 'the port is in use. Choose another SANDBOX_PORT or SANDBOX_PLATFORM_PORT.'
      : String(error).replace(/^Error: /, '');
    process.stderr.write(`${PROGRAM}: ${message}\n`);
    process.exit(isPortInUse ? EXIT_PORT_IN_USE : EXIT_INVALID_CONFIG);
  }
}
