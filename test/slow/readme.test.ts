// The commands of README.md and docs/, run as they stand there: only ports, folder and key are this test's own.
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
/** Pages whose shell blocks run on the open instance of the tour, in this order. */
const COMMAND_PAGES = [
  'README.md',
  ...['requests', 'media', 'idempotency', 'webhooks', 'signatures', 'events'].map((name) => `docs/guides/${name}.md`),
  'docs/operate/logs.md',
];

/** Pages whose commands another test runs, because they need other sessions. */
const MOVE_PAGES: Record<string, string> = {
  'docs/guides/move-sessions.md': 'test/e2e/session-transfer.test.ts',
  'docs/guides/migrate-from-evolution.md': 'test/slow/import-evolution-guide.test.ts',
};

/** The picture in the examples of the contract. */
const PICTURE = Buffer.from(
  /media: (iVBOR\S+)/.exec(readFileSync('openapi/openapi.yaml', 'utf8'))?.[1] ?? '',
  'base64',
);

const [typed = ''] = codeBlocks(TYPED_PAGE, 'ts');
const [tourLines = [], cleanUpLines = []] = curlBlocks(TOUR_PAGE).map((block) =>
  block.split('\n').filter((line) => line.startsWith('curl ')),
);

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-readme-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function runCurl(command: string, key: string): Promise<unknown> {
  const { stdout } = await shell('sh', ['-c', `${command} --fail-with-body`], { env: { ...process.env, KEY: key } });
  return JSON.parse(stdout);
}

/** Runs a shell block of a page; each curl fails when the gateway answers with an error. */
async function runBlock(block: string, env: Record<string, string>, cwd: string): Promise<string> {
  const failing = 'curl() { command curl --fail-with-body "$@"; }';
  const { stdout } = await shell('sh', ['-ec', `${failing}\n${block}`], { cwd, env: { ...process.env, ...env } });
  return stdout;
}

/** Runs the block of docs/operate/backup.md in a folder with the same npm scripts, so that it writes to no other folder. */
async function backUpAndRestore(dataDir: string): Promise<void> {
  const block = codeBlocks('docs/operate/backup.md', 'sh').find((one) => one.includes('npm run backup')) ?? '';
  const project = join(temporary(), 'gateway');
  mkdirSync(project);
  for (const name of ['package.json', 'src', 'packages', 'node_modules'])
    symlinkSync(resolve(name), join(project, name));
  const output = await runBlock(block, { DATA_DIR: dataDir }, project);
  expect(output).toContain('1 instance');
  expect(existsSync(join(project, 'data/restored'))).toBe(true);
}

/** Compares the examples in the table of docs/guides/errors.md with the errors of a gateway. */
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

/** Type-checks the typed caller as strictly as this project, shows that a wrong field is refused, and runs it. */
async function runCaller(text: string, key: string): Promise<string> {
  const dir = temporary();
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
  it('has no curl command that this test does not run', () => {
    // Translated pages have the blocks of their originals: test/contract/translations.test.ts.
    const originals = PAGES.filter((page) => !(page in TRANSLATIONS));
    const pages = originals.filter((page) => page !== TOUR_PAGE && curlBlocks(page).length > 0);
    expect(curlBlocks(TOUR_PAGE)).toHaveLength(2);
    expect(pages.sort()).toEqual([...COMMAND_PAGES, ...Object.keys(MOVE_PAGES)].sort());
    for (const [page, test] of Object.entries(MOVE_PAGES)) expect(readFileSync(test, 'utf8')).toContain(page);
  });

  it('shows the tour that the sandbox prints', () => {
    const places = { gateway: 'http://127.0.0.1:8080', control: 'http://127.0.0.1:8081', key: '$KEY' };
    const { steps, cleanUp } = createTour(places);
    const quoted = ({ command }: { command: string }) => command.replace("'apikey: $KEY'", '"apikey: $KEY"');
    expect(tourLines).toEqual(steps.map(quoted));
    expect(cleanUpLines).toEqual(cleanUp.map(quoted));
  });

  it('has a tour that works line by line on a fresh `npm run sandbox`, and Ctrl-C stops it', async () => {
    const dataDir = temporary();
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const env = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: dataDir };
    const program = runNpm(['run', 'sandbox'], env);
    await program.line(/Ctrl-C/);
    const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
    const printed = program.lines.join('\n');
    expect(printed).toContain(key);
    expect(printed.indexOf('/instance/logout/demo')).toBeGreaterThan(printed.indexOf('Clean-up'));
    expect(printed.indexOf('Clean-up')).toBeGreaterThan(printed.indexOf('/inbox?event='));
    const here = (line: string) => line.replaceAll(':8080', `:${port}`).replaceAll(':8081', `:${sandboxPort}`);
    const answers: unknown[] = [];
    for (const line of tourLines.map(here)) answers.push(await runCurl(line, key));
    const ID = /"id":"([^"]+)"/.exec(JSON.stringify(answers[3]))?.[1] ?? '';
    writeFileSync(join(dataDir, 'picture.png'), PICTURE);
    writeFileSync(join(dataDir, 'hello.wav'), tone(1));
    for (const page of COMMAND_PAGES) {
      for (const block of curlBlocks(page)) {
        await expect(runBlock(here(block), { KEY: key, ID }, dataDir), `${page}: ${block}`).resolves.toMatch(/^[{[]/);
      }
    }
    expect(await runCaller(here(typed), key)).toMatch(/^[\dA-F]+ PENDING$/m);
    expect((await createApi(`http://127.0.0.1:${port}`, key)('GET', '/instance/fetchInstances')).body).toHaveLength(1);
    await expectErrorForms(`http://127.0.0.1:${port}`, key);
    await backUpAndRestore(dataDir);
    for (const line of cleanUpLines.map(here)) answers.push(await runCurl(line, key));
    const all = JSON.stringify(answers);
    expect(all).toContain('Hello from the gateway');
    expect(all).toContain('Hello from the phone');
    expect(answers.at(-1)).toMatchObject({ status: 'SUCCESS' });
    expect(await createControls(`http://127.0.0.1:${sandboxPort}`)('GET', '/log')).toMatchObject({ body: [] });
    await program.stop('SIGINT');
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  });

  it('starts the platform alone and a separate `npm start` on it', async () => {
    const platform = runNpm(['run', 'sandbox', '--', '--platform'], { SANDBOX_PORT: '0', DATA_DIR: temporary() });
    const { platformUrl, rootKey, caFile, control } = JSON.parse(await platform.line(/^\{/));
    const port = await freePort();
    const gateway = runNpm(['start'], {
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: temporary(),
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

  it('refuses an old Node in one sentence', async () => {
    const old = 'Object.defineProperty(process.versions, "node", { value: "20.0.0" })';
    const program = runNpm(['start'], { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` });
    await program.line(/needs Node 24 or newer/);
    expect(await program.ended).not.toBe(0);
  });

  it('measures with `npm run bench`', async () => {
    const program = run(['test/bench/bench.ts', 'start']);
    await program.line(/spawn to first answer/);
    expect(await program.ended).toBe(0);
  });
});
