// Runs the commands of README.md and docs/. Only the ports, the folder and the key are replaced.
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTour } from '../../packages/sandbox/src/process/tour.ts';
import { createApi, createControls } from '../support/api.ts';
import { codeBlocks, curlBlocks, PAGES, TRANSLATIONS } from '../support/docs.ts';
import { freePort } from '../support/port.ts';
import { run, runNpm } from '../support/process.ts';
import { tone } from '../support/sounds.ts';

const shell = promisify(execFile);
const TOUR_PAGE = 'docs/quickstart.md';
const TYPED_PAGE = 'docs/guides/typescript.md';
/** Pages whose shell blocks run with the open instance of the tour, in this order. */
const COMMAND_PAGES = [
  'README.md',
  ...['requests', 'media', 'idempotency', 'webhooks', 'signatures', 'events'].map((name) => `docs/guides/${name}.md`),
  'docs/operate/logs.md',
];

/** Pages whose commands need other sessions, with the test that runs them. */
const MOVE_PAGES: Record<string, string> = {
  'docs/guides/move-sessions.md': 'test/e2e/session-transfer.slow.test.ts',
  'docs/guides/migrate-from-evolution.md': 'test/slow/import-evolution-guide.test.ts',
};

/** The picture of the examples in the contract. */
const PICTURE = Buffer.from(
  /media: (iVBOR\S+)/.exec(readFileSync('openapi/openapi.yaml', 'utf8'))?.[1] ?? '',
  'base64',
);

const [typedCaller = ''] = codeBlocks(TYPED_PAGE, 'ts');
const [tourLines = [], cleanUpLines = []] = curlBlocks(TOUR_PAGE).map((block) =>
  block.split('\n').filter((line) => line.startsWith('curl ')),
);

function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-readme-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function runCurl(command: string, key: string): Promise<unknown> {
  const { stdout } = await shell('sh', ['-c', `${command} --fail-with-body`], { env: { ...process.env, KEY: key } });
  return JSON.parse(stdout);
}

/** Runs a shell block of a page. Each curl command fails when the gateway responds with an error. */
async function runBlock(block: string, env: Record<string, string>, cwd: string): Promise<string> {
  const failing = 'curl() { command curl --fail-with-body "$@"; }';
  const { stdout } = await shell('sh', ['-ec', `${failing}\n${block}`], { cwd, env: { ...process.env, ...env } });
  return stdout;
}

/** Runs the block of docs/operate/backup.md in a folder with the same npm scripts, so that it writes only there. */
async function backUpAndRestore(dataDir: string): Promise<void> {
  const block =
    codeBlocks('docs/operate/backup.md', 'sh').find((candidate) => candidate.includes('npm run backup')) ?? '';
  const project = join(temporaryFolder(), 'gateway');
  mkdirSync(project);
  for (const name of ['package.json', 'src', 'packages', 'node_modules'])
    symlinkSync(resolve(name), join(project, name));
  const output = await runBlock(block, { DATA_DIR: dataDir }, project);
  expect(output).toContain('1 instance');
  expect(existsSync(join(project, 'data/restored'))).toBe(true);
}

/** Compares the examples in the table of docs/guides/errors.md with the error responses of a gateway. */
async function expectErrorForms(url: string, key: string): Promise<void> {
  const page = readFileSync('docs/guides/errors.md', 'utf8');
  const forms = [...page.matchAll(/ \| `([["].*)` \|$/gm)].map(([, json = '']): unknown => JSON.parse(json));
  const api = createApi(url, key);
  const answers = [
    await createApi(url, 'wrong')('GET', '/instance/fetchInstances'),
    await api('GET', '/instance/connectionState/shop'),
    await api('POST', '/message/sendText/demo', { text: 'Hello' }),
    await api('POST', '/group/create/demo', { participants: [] }),
    await api('POST', '/message/sendText/demo', { number: '15550000000', text: 'Hello' }),
  ];
  expect(answers.map(({ body }) => (body as { response: { message: unknown } }).response.message)).toEqual(forms);
}

/**
 * Type-checks the caller of the guide with strict rules, checks that tsc rejects a wrong field, and runs the caller.
 */
async function runCaller(text: string, key: string): Promise<string> {
  const dir = temporaryFolder();
  copyFileSync('openapi/types.ts', join(dir, 'types.ts'));
  const files = ['caller.mts', 'wrong.mts'].map((name) => join(dir, name));
  const [caller = '', wrong = ''] = files;
  writeFileSync(caller, text);
  writeFileSync(wrong, text.replace('text:', 'txt:'));
  const rules =
    '--ignoreConfig --noEmit --strict --module nodenext --target es2024 --allowImportingTsExtensions --types node';
  const options = [
    resolve('node_modules/typescript/bin/tsc'),
    ...rules.split(' '),
    '--typeRoots',
    resolve('node_modules/@types'),
  ];
  await shell(process.execPath, [...options, caller]);
  await expect(shell(process.execPath, [...options, wrong])).rejects.toMatchObject({
    stdout: expect.stringContaining("'txt' does not exist in type"),
  });
  const { stdout } = await shell(process.execPath, [caller], { env: { ...process.env, KEY: key } });
  return stdout;
}

describe('the documentation', () => {
  it('every page of the documentation with curl commands has a test that runs them', () => {
    // Translated pages have the same blocks as their originals (test/contract/translations.test.ts).
    const originals = PAGES.filter((page) => !(page in TRANSLATIONS));
    const pages = originals.filter((page) => page !== TOUR_PAGE && curlBlocks(page).length > 0);
    expect(curlBlocks(TOUR_PAGE)).toHaveLength(2);
    expect(pages.sort()).toEqual([...COMMAND_PAGES, ...Object.keys(MOVE_PAGES)].sort());
    for (const [page, test] of Object.entries(MOVE_PAGES)) expect(readFileSync(test, 'utf8')).toContain(page);
  });

  it('the quickstart shows the same tour as the sandbox prints', () => {
    const addresses = { gateway: 'http://127.0.0.1:8080', control: 'http://127.0.0.1:8081', key: '$KEY' };
    const { steps, cleanUp } = createTour(addresses);
    const quoted = ({ command }: { command: string }) => command.replace("'apikey: $KEY'", '"apikey: $KEY"');
    expect(tourLines).toEqual(steps.map(quoted));
    expect(cleanUpLines).toEqual(cleanUp.map(quoted));
  });

  it('the tour and the commands of the documentation work on a new `npm run sandbox`, which Ctrl-C stops', async () => {
    const dataDir = temporaryFolder();
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const env = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: dataDir };
    const program = runNpm(['run', 'sandbox'], env);
    await program.line(/Ctrl-C/);
    const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
    const printed = program.lines.join('\n');
    expect(printed).toContain(key);
    expect(printed.indexOf('/instance/logout/demo')).toBeGreaterThan(printed.indexOf('Clean-up'));
    expect(printed.indexOf('Clean-up')).toBeGreaterThan(printed.indexOf('/inbox?event='));
    const withPorts = (line: string) => line.replaceAll(':8080', `:${port}`).replaceAll(':8081', `:${sandboxPort}`);
    const answers: unknown[] = [];
    for (const line of tourLines.map(withPorts)) answers.push(await runCurl(line, key));
    const ID = /"id":"([^"]+)"/.exec(JSON.stringify(answers[3]))?.[1] ?? '';
    writeFileSync(join(dataDir, 'picture.png'), PICTURE);
    writeFileSync(join(dataDir, 'hello.wav'), tone(1));
    for (const page of COMMAND_PAGES) {
      for (const block of curlBlocks(page)) {
        await expect(runBlock(withPorts(block), { KEY: key, ID }, dataDir), `${page}: ${block}`).resolves.toMatch(
          /^[{[]/,
        );
      }
    }
    expect(await runCaller(withPorts(typedCaller), key)).toMatch(/^[\dA-F]+ PENDING$/m);
    expect((await createApi(`http://127.0.0.1:${port}`, key)('GET', '/instance/fetchInstances')).body).toHaveLength(1);
    await expectErrorForms(`http://127.0.0.1:${port}`, key);
    await backUpAndRestore(dataDir);
    for (const line of cleanUpLines.map(withPorts)) answers.push(await runCurl(line, key));
    const all = JSON.stringify(answers);
    expect(all).toContain('Hello from the gateway');
    expect(all).toContain('Hello from the phone');
    expect(answers.at(-1)).toMatchObject({ status: 'SUCCESS' });
    expect(await createControls(`http://127.0.0.1:${sandboxPort}`)('GET', '/log')).toMatchObject({ body: [] });
    await program.stop('SIGINT');
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  });

  it('`npm run sandbox -- --platform` starts the platform alone, and a separate `npm start` uses it', async () => {
    const platform = runNpm(['run', 'sandbox', '--', '--platform'], { SANDBOX_PORT: '0', DATA_DIR: temporaryFolder() });
    const { platformUrl, rootKey, caFile, control } = JSON.parse(await platform.line(/^\{/));
    const port = await freePort();
    const gateway = runNpm(['start'], {
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: temporaryFolder(),
      PLATFORM_URL: platformUrl,
      PLATFORM_ROOT_KEY: rootKey,
      NODE_EXTRA_CA_CERTS: caFile,
    });
    await gateway.line(/gateway\.ready/);
    const key = /API key .*: (\S+)/.exec(await gateway.line(/API key/))?.[1] ?? '';
    const api = createApi(`http://127.0.0.1:${port}`, key);
    const created = await api('POST', '/instance/create', { instanceName: 'demo', qrcode: true });
    expect(created.status).toBe(201);
    const scanned = await createControls(control)('POST', '/phones/15550001001/scan', { instance: 'demo' });
    expect(scanned.status, 'without a gateway beside it, the platform needs the code').toBe(400);
    await gateway.stop('SIGTERM');
    expect(gateway.lines.at(-1)).toContain('gateway.stopped');
    await platform.stop('SIGTERM');
    await expect(fetch(control)).rejects.toThrow();
  });

  it('`npm start` names the required version when Node is too old', async () => {
    const old = 'Object.defineProperty(process.versions, "node", { value: "20.0.0" })';
    const program = runNpm(['start'], { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` });
    await program.line(/needs Node 24 or newer/);
    expect(await program.ended).not.toBe(0);
  });

  it('the benchmark "start" prints the time from spawn to the first answer', async () => {
    const program = run(['test/bench/bench.ts', 'start']);
    await program.line(/spawn to first answer/);
    expect(await program.ended).toBe(0);
  });
});
