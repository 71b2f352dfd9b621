// The entry point of the process: loads the configuration, starts the gateway, handles signals, and sets the exit code.
// Imports the other TypeScript files only after the check of the Node version, so that an old Node ends with the error
// message of the check.

// Enables the compile cache. This import is for a start without preload.js, which also imports module-loading.js.
import './app/module-loading.js';
import type { PlatformEndpoint } from './whatsapp/baileys/platform-endpoint.ts';

const MIN_NODE_VERSION = 24;

/** The value of EXIT_CODES.unusable, repeated because the check runs before app/exit-codes.ts is imported. */
const EXIT_UNUSABLE = 78;

function fail(message: string, exitCode: number): never {
  process.stderr.write(`messaging-gateway: ${message}\n`);
  process.exit(exitCode);
}

if (Number(process.versions.node.split('.')[0]) < MIN_NODE_VERSION) {
  fail(
    `needs Node ${MIN_NODE_VERSION} or newer, this is ${process.version}. "npm start" runs it on the Node of node_modules.`,
    EXIT_UNUSABLE,
  );
}

async function main(): Promise<void> {
  const { loadConfig, startupNoticesOf, summarize } = await import('./config/load.ts');
  const { createLogger, createTerminalStream } = await import('./observability/logger.ts');
  const config = loadConfig();
  const log = createLogger(config, await createTerminalStream(process.stdout));
  log.info({ config: summarize(config), node: process.version }, 'gateway.starting');
  const { openTemporaryFolder } = await import('./lib/temporary-files.ts');
  const { removed, folder, problem } = openTemporaryFolder(process.env);
  if (folder === undefined) log.warn({ err: problem }, 'temporary_folder.create.failed');
  if (removed.length > 0) log.info({ removed }, 'temporary_folder.leftovers.removed');
  const { ignored, unsupported } = startupNoticesOf();
  if (Object.keys(ignored).length > 0) log.info({ settings: ignored }, 'config.settings.ignored');
  if (Object.keys(unsupported).length > 0) log.warn({ settings: unsupported }, 'config.features.ignored');
  if (config.apiKeySource === 'generated') {
    // The key is printed to standard error and not logged, because more people can read the log.
    process.stderr.write(`\n  API key (kept in ${config.dataDir}/api-key): ${config.apiKey}\n\n`);
  }
  const endpoint: PlatformEndpoint = config.platformUrl
    ? { network: 'sandbox', url: config.platformUrl, rootKey: Buffer.from(config.platformRootKey, 'base64') }
    : { network: 'whatsapp' };
  if (config.platformUrl) log.warn({ url: config.platformUrl }, 'platform.overridden');

  const { createGateway } = await import('./app/compose.ts');
  const gateway = await createGateway(config, {
    endpoint,
    log,
    // Another process has taken the name of this cluster node, so this process stops.
    onReplaced: () => process.kill(process.pid, 'SIGTERM'),
    releasesMemory: true,
  });
  const { installTermination } = await import('./app/termination.ts');
  let isStopping = false;
  installTermination({
    name: 'messaging-gateway',
    stopTimeoutMs: config.shutdownTimeout,
    log,
    async stop(signal) {
      isStopping = true;
      log.info({ signal }, 'gateway.stopping');
      await gateway.stop();
      log.info('gateway.stopped');
    },
  });
  try {
    const { url } = await gateway.start();
    log.info({ url }, 'gateway.ready');
  } catch (err) {
    // A signal during the start stops parts that the start needs. installTermination then sets the exit code.
    if (!isStopping) throw err;
    log.debug({ err }, 'gateway.start.interrupted');
  }
}

main().catch(async (error: unknown) => {
  const { toExitReport } = await import('./app/exit-codes.ts');
  const { text, code } = toExitReport(error, 'PORT');
  fail(text, code);
});
