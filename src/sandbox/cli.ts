// `npm run sandbox`: the pretend platform, its controls and the gateway in one process, with a guided tour.
// `--platform`: the platform and its controls alone, for a gateway started apart; prints one JSON line that says where.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { createGateway } from '../app/compose.ts';
import { farewell } from '../app/exit-codes.ts';
import { endInOrder } from '../app/termination.ts';
import { type Config, loadConfig } from '../config/load.ts';
import { prepareDataDir } from '../lib/startup-errors.ts';
import { openScratch } from '../lib/temporary-files.ts';
import { createLog, terminalOf } from '../observability/logger.ts';
import { createControl } from './control.ts';
import { addPanel } from './panel.ts';
import { createSandbox } from './sandbox.ts';
import { tour } from './tour.ts';

/** Begins every line on standard error. */
const NAME = 'messaging-gateway sandbox';

/** Closes in the given order when a signal or an error ends the process. */
function closeAtEnd(config: Config, log: Logger, ...parts: (() => Promise<void>)[]): void {
  endInOrder({
    name: NAME,
    delay: config.shutdownTimeout,
    log,
    async stop() {
      for (const close of parts) await close();
    },
  });
}

async function runPlatform(config: Config): Promise<void> {
  const log = createLog(config, await terminalOf(process.stdout));
  const sandbox = await createSandbox({ strict: false, log });
  const control = createControl(sandbox);
  const url = await control.listen(config.sandboxPort);
  prepareDataDir(config.dataDir);
  const caFile = resolve(join(config.dataDir, 'sandbox-ca.pem'));
  writeFileSync(caFile, sandbox.caPem);
  closeAtEnd(
    config,
    log,
    () => control.close(),
    () => sandbox.close(),
  );
  const { secureUrl, platformUrl, rootKey } = sandbox;
  const place = { platformUrl: secureUrl ?? platformUrl, rootKey: rootKey.toString('base64'), caFile, control: url };
  process.stdout.write(`${JSON.stringify(place)}\n`);
}

async function runAll(config: Config): Promise<void> {
  const log = createLog(config, await terminalOf(process.stdout));
  const { removed, folder, problem } = openScratch(process.env);
  if (folder === undefined) log.warn({ err: problem }, 'scratch.folder.failed');
  if (removed.length > 0) log.warn({ removed }, 'scratch.leftovers.removed');
  const sandbox = await createSandbox({ strict: false, tlsPort: false, log });
  const endpoint = {
    network: 'sandbox',
    url: sandbox.platformUrl,
    rootKey: sandbox.rootKey,
    ca: sandbox.caPem,
  } as const;
  const gateway = await createGateway(config, { endpoint, log });
  let controlUrl = '';
  if (!config.serverDisableManager) addPanel(gateway.app, () => controlUrl);
  const { url } = await gateway.start();
  const control = createControl(sandbox, { gateway: { url, apikey: config.apiKey } });
  controlUrl = await control.listen(config.sandboxPort);
  closeAtEnd(
    config,
    log,
    () => gateway.stop(),
    () => control.close(),
    () => sandbox.close(),
  );
  process.stdout.write(welcome(config, url, controlUrl));
}

function welcome(config: Config, gateway: string, control: string): string {
  const steps = tour({ gateway, control, key: config.apiKey });
  const lines = steps.map(({ says, command }, n) => `# ${n + 1}. ${says}\n${command}\n`);
  const page = config.serverDisableManager
    ? ''
    : `\n  Page      ${gateway}/manager   log in with the key to look and try`;
  return `
  Gateway   ${gateway}   documentation: ${gateway}/docs${page}
  Controls  ${control}   the phones of the pretend platform
  API key   ${config.apiKey}
  Data      ${resolve(config.dataDir)}

  The tour: paste these lines one after another.

${lines.join('\n')}
  Ctrl-C stops.
`;
}

const { values } = parseArgs({ options: { platform: { type: 'boolean', default: false } } });
try {
  const config = loadConfig(process.env, { HOST: '127.0.0.1', LOG_LEVEL: 'warn' });
  await (values.platform ? runPlatform(config) : runAll(config));
} catch (error) {
  const { sentence, code } = farewell(error, 'PORT or SANDBOX_PORT');
  process.stderr.write(`${NAME}: ${sentence}\n`);
  process.exit(code);
}
