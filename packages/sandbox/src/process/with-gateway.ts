// Runs the sandbox (a simulated WhatsApp), its control API and the gateway of this repository in one process, and
// prints a tour (commands to try out). The published package does not contain this file.
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { createGateway } from '../../../../src/app/compose.ts';
import { toExitReport } from '../../../../src/app/exit-codes.ts';
import { installTermination } from '../../../../src/app/termination.ts';
import { type Config, loadConfig } from '../../../../src/config/load.ts';
import { openTemporaryFolder } from '../../../../src/lib/temporary-files.ts';
import { createLogger, createTerminalStream } from '../../../../src/observability/logger.ts';
import { createControl } from '../control/control.ts';
import { createSandbox } from '../sandbox.ts';
import { addManagerPhones } from './manager-phones.ts';
import { createTour } from './tour.ts';

/** Name of the program in error messages. */
const PROGRAM = 'messaging-gateway sandbox';

/** Installs handlers that run `closers` in order when a signal or an error ends the process. */
function installClosers(config: Config, log: Logger, ...closers: (() => Promise<void>)[]): void {
  installTermination({
    name: PROGRAM,
    stopTimeoutMs: config.shutdownTimeout,
    log,
    async stop() {
      for (const close of closers) await close();
    },
  });
}

async function start(config: Config): Promise<void> {
  const log = createLogger(config, await createTerminalStream(process.stdout));
  // The temporary files of this process go into a new folder. Folders of processes that were killed are removed.
  const { removed, folder, problem } = openTemporaryFolder(process.env);
  if (folder === undefined) log.warn({ err: problem }, 'temporary_folder.create.failed');
  if (removed.length > 0) log.info({ removed }, 'temporary_folder.leftovers.removed');
  // `strict: false`: a stanza (protocol message) that the sandbox cannot answer is logged as a warning.
  // `tlsPort: false`: the gateway connects with `ws:`.
  const sandbox = await createSandbox({ strict: false, tlsPort: false, log });
  const endpoint = {
    network: 'sandbox',
    url: sandbox.platformUrl,
    rootKey: sandbox.rootKey,
    ca: sandbox.caPem,
  } as const;
  const gateway = await createGateway(config, { endpoint, log });
  // Set below: the control API needs the URL of the gateway, so it starts after the gateway. The routes that
  // addManagerPhones() adds forward requests to the control API, and must exist before the gateway starts.
  let controlUrl = '';
  if (!config.serverDisableManager) addManagerPhones(gateway.app, () => controlUrl);
  const { url } = await gateway.start();
  const control = createControl(sandbox, { gateway: { url, apikey: config.apiKey } });
  controlUrl = await control.listen(config.sandboxPort);
  installClosers(
    config,
    log,
    () => gateway.stop(),
    () => control.close(),
    () => sandbox.close(),
  );
  process.stdout.write(createWelcomeText(config, url, controlUrl));
}

/** Returns the text that is printed after the start: the URLs and the tour. */
function createWelcomeText(config: Config, gateway: string, control: string): string {
  const { steps, cleanUp } = createTour({ gateway, control, key: config.apiKey });
  const lines = steps.map(({ description, command }, index) => `# ${index + 1}. ${description}\n${command}\n`);
  const cleanUpLines = cleanUp.map(({ description, command }) => `# ${description}\n${command}\n`);
  const page = config.serverDisableManager ? '' : `\n  Page      ${gateway}/manager   sign in with the API key`;
  return `
  Gateway   ${gateway}   documentation: ${gateway}/docs${page}
  Controls  ${control}   the phones of the simulated platform
  API key   ${config.apiKey}
  Data      ${resolve(config.dataDir)}

  The tour: paste these lines one after another.

${lines.join('\n')}
  Clean-up, when you no longer need the instance "demo":

${cleanUpLines.join('\n')}
  Ctrl-C stops.
`;
}

/**
 * Starts everything with the gateway's settings in `env` and prints the URLs. When the start fails, prints the reason
 * and ends the process.
 */
export async function runWithGateway(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await start(loadConfig(env, { HOST: '127.0.0.1', LOG_LEVEL: 'warn' }));
  } catch (error) {
    const { text, code } = toExitReport(error, 'PORT or SANDBOX_PORT');
    process.stderr.write(`${PROGRAM}: ${text}\n`);
    process.exit(code);
  }
}
