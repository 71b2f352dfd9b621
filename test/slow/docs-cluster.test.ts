// Runs the commands of docs/deploy/cluster.md that start three nodes on one machine. Only the database URL, the key,
// the ports and the folders are replaced.
import { expect, it } from 'vitest';
import { createApi, createControls, textAt } from '../support/api.ts';
import { codeBlocks } from '../support/docs.ts';
import { emptyFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';
import { run, runShell } from '../support/process.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const commands =
  codeBlocks('docs/deploy/cluster.md', 'sh').find((block) => block.startsWith('export DATABASE_URL=')) ?? '';

it('the commands of docs/deploy/cluster.md start three nodes that answer for each other', async () => {
  const server = sharedPostgres();
  const platform = run(['packages/sandbox/src/process/cli.ts', '--platform'], {
    SANDBOX_PORT: '0',
    DATA_DIR: emptyFolder(),
  });
  const { platformUrl, rootKey, caFile, control } = JSON.parse(await platform.line(/^\{/));
  const ports = [await freePort(), await freePort(), await freePort()];
  const dataDir = emptyFolder();
  const key = 'readme-key-0123456789abcdef';
  const replacements = [
    ['postgres://gateway:secret@127.0.0.1:5432/gateway', await server.createDatabase()],
    ['$(openssl rand -hex 16)', key],
    ...['8080', '8082', '8083'].map((port, index) => [`PORT=${port}`, `PORT=${ports[index]}`]),
    ...['a', 'b', 'c'].map((name) => [`DATA_DIR=data/${name}`, `DATA_DIR=${dataDir}/${name}`]),
  ];
  let script = commands;
  for (const [documented = '', replacement = ''] of replacements) {
    expect(script.split(documented), documented).toHaveLength(2);
    script = script.replace(documented, replacement);
  }
  const nodes = runShell(script, {
    ...{ PLATFORM_URL: platformUrl, PLATFORM_ROOT_KEY: rootKey, NODE_EXTRA_CA_CERTS: caFile, LEASE_TTL: '3' },
  });
  await Promise.all(ports.map((port) => nodes.line(new RegExp(`:${port}".*gateway\\.ready`))));
  const [a, b, c] = ports.map((port) => createApi(`http://127.0.0.1:${port}`, key));
  if (!a || !b || !c) throw new Error('three were to start');

  const { body } = await b('POST', '/instance/create', { instanceName: 'shop', qrcode: true });
  const code = textAt(body, 'qrcode.code');
  expect(await createControls(control)('POST', '/phones/15550001001/scan', { code })).toMatchObject({ status: 200 });
  const readState = async () => (await c('GET', '/instance/connectionState/shop')).body;
  await expect.poll(readState).toMatchObject({ instance: { state: 'open' } });
  const message = { number: '15550001002', textMessage: { text: 'through any of them' } };
  expect((await a('POST', '/message/sendText/shop', message)).status).toBe(201);
  // A node reports the number of its instances with its next heartbeat.
  await expect
    .poll(async () => (await c('GET', '/cluster')).body, { timeout: 20_000 })
    .toMatchObject({
      enabled: true,
      instances: 1,
      orphans: 0,
      nodes: ['a', 'b', 'c'].map(() => ({ state: 'live' })),
    });
  await nodes.stop('SIGTERM');
  await platform.stop('SIGTERM');
});
