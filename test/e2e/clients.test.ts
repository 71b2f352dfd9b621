// Client programs of integrators run against `npm run sandbox`. Each throws at the first answer that it cannot read.
import { expect, it } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';
import { run } from '../support/process.ts';

const dialects = ['v1', 'v2', 'socketio'];

it('npm run sandbox serves a client of each API dialect from the creation of an instance to its deletion', async () => {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const key = 'the-key-of-the-operator';
  const gateway = run(['packages/sandbox/src/process/cli.ts'], {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: emptyFolder(),
    API_KEY: key,
    EGRESS_ALLOW: '127.0.0.1/32',
    WEBSOCKET_ENABLED: 'true',
  });
  await gateway.line(/Ctrl-C/);
  const args = [`http://127.0.0.1:${port}`, key, `http://127.0.0.1:${sandboxPort}`];
  const programs = dialects.map((dialect) => run([`test/clients/${dialect}.ts`, ...args]));
  for (const [n, program] of programs.entries()) {
    expect(await program.ended, program.lines.join('\n')).toBe(0);
    expect(program.lines.at(-1)).toMatch(new RegExp(`^${dialects[n]}: \\d+ calls and \\d+ events as expected$`));
  }
  const unanswered: unknown = await (await fetch(`http://127.0.0.1:${sandboxPort}/log`)).json();
  expect(unanswered).toEqual([]);
});
