// The ports of a sandbox when it cannot open one of them.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../../test/support/port.ts';
import { createSandbox } from '../../src/sandbox.ts';

it('createSandbox() leaves no port open when another port is in use', async () => {
  const port = await freePort();
  const tlsPort = await freePort();
  const occupant = createServer().listen(tlsPort, '127.0.0.1');
  onTestFinished(() => void occupant.close());
  await once(occupant, 'listening');
  await expect(createSandbox({ port, tlsPort })).rejects.toMatchObject({ code: 'EADDRINUSE', port: tlsPort });
  const sandbox = await createSandbox({ port });
  expect(sandbox.platformUrl).toBe(`ws://127.0.0.1:${port}/ws/chat`);
  await sandbox.close();
});
