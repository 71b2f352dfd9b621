// Programs as integrators have them, unchanged, against `npm run sandbox`; each throws at the first answer it cannot read.
import { expect, it } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';
import { run } from '../support/process.ts';

const dialects = ['v1', 'v2', 'socketio'];

it('serves clients of each dialect from create to delete', async () => {
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
  const places = [`http://127.0.0.1:${port}`, key, `http://127.0.0.1:${sandboxPort}`];
  const programs = dialects.map((dialect) => run([`test/clients/${dialect}.ts`, ...places]));
  for (const [n, program] of programs.entries()) {
    expect(await program.ended, program.lines.join('\n')).toBe(0);
    expect(program.lines.at(-1)).toMatch(new RegExp(`^${dialects[n]}: \\d+ calls and \\d+ events as expected$`));
  }
  const unanswered: unknown = await (await fetch(`http://127.0.0.1:${sandboxPort}/log`)).json();
  expect(unanswered).toEqual([]);
});
