// The process: configuration → gateway → listening; signals → an orderly stop. The only caller of process.exit.
// Everything is imported after the version check, so that an old Node hears a sentence and not a syntax error.
import module from 'node:module';
import { join } from 'node:path';
import type { PlatformEndpoint } from './whatsapp/baileys/platform-endpoint.ts';

const OLDEST_NODE = 24;

/** A new start ends the same way (exit.ts, which an old Node cannot read). */
const UNUSABLE = 78;

function fail(sentence: string, code: number): never {
  process.stderr.write(`messaging-gateway: ${sentence}\n`);
  process.exit(code);
}

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(
    `needs Node ${OLDEST_NODE} or newer, this is ${process.version}. "npm start" runs it on the Node of node_modules.`,
    UNUSABLE,
  );
}

// Compiling what it imports is half of a start. Kept with the packages, where only their owner can write; without that, nothing is lost.
module.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile'));

async function main(): Promise<void> {
  const { loadConfig, startupNoticesOf: remarks, summary } = await import('./config/load.ts');
  const { createLog, terminalOf } = await import('./observability/logger.ts');
  const config = loadConfig();
  const log = createLog(config, await terminalOf(process.stdout));
  log.info({ config: summary(config), node: process.version }, 'gateway.starting');
  const { openTemporaryFolder: openScratch } = await import('./lib/temporary-files.ts');
  const { removed, folder, problem } = openScratch(process.env);
  if (folder === undefined) log.warn({ err: problem }, 'scratch.folder.failed');
  if (removed.length > 0) log.warn({ removed }, 'scratch.leftovers.removed');
  const { ignored, missing } = remarks();
  if (Object.keys(ignored).length > 0) log.info({ settings: ignored }, 'config.without_effect');
  if (Object.keys(missing).length > 0) log.warn({ settings: missing }, 'config.not_supported');
  if (config.apiKeySource === 'generated') {
    // Never in the log: a person reads this once, and finds it again in the file.
    process.stderr.write(`\n  API key (kept in ${config.dataDir}/api-key): ${config.apiKey}\n\n`);
  }
  const endpoint: PlatformEndpoint = config.platformUrl
    ? { network: 'sandbox', url: config.platformUrl, rootKey: Buffer.from(config.platformRootKey, 'base64') }
    : { network: 'whatsapp' };
  if (config.platformUrl) log.warn({ url: config.platformUrl }, 'platform.not_the_real_one');

  const { createGateway } = await import('./app/compose.ts');
  const gateway = await createGateway(config, {
    endpoint,
    log,
    onReplaced: () => process.kill(process.pid, 'SIGTERM'),
  });
  const { installTermination: endInOrder } = await import('./app/termination.ts');
  let isStopping = false;
  endInOrder({
    name: 'messaging-gateway',
    delay: config.shutdownTimeout,
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
    // A start that a signal ended finds everything closed; the stop goes on and sets the exit code.
    if (!isStopping) throw err;
    log.debug({ err }, 'gateway.start_ended');
  }
}

main().catch(async (error: unknown) => {
  const { toExitReport: farewell } = await import('./app/exit-codes.ts');
  const { sentence, code } = farewell(error, 'PORT');
  fail(sentence, code);
});
