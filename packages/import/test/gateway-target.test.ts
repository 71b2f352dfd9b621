// Servers that are not a gateway, or that end the connection during a response.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fullBundle } from '../../../test/support/sample-bundle.ts';
import type { Target } from '../src/session/target.ts';
import { openGateway } from '../src/targets/gateway.ts';

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

const open = (location: string, key = 'global-key'): Promise<Target> =>
  openGateway({ location, key, hasSeveralSessions: false, allowHttp: false });

describe('targets other than a gateway', () => {
  it('openGateway() rejects a server that answers every request with a page', async () => {
    const url = await startServer((_request, response) => response.end('<html>Welcome</html>'));
    await expect(open(url)).rejects.toThrow(`${url} is no gateway: it has no list of instances.`);
  });

  it('a gateway target does not report a session as written when the server does not confirm the import', async () => {
    const url = await startServer((request, response) =>
      response.end(request.method === 'GET' ? '{"instances":{}}' : '<html>'),
    );
    const target = await open(url);
    await expect(target.write(await fullBundle())).rejects.toThrow('The gateway does not confirm the import');
  });
});

describe('unusable gateways and keys', () => {
  it('openGateway() names a gateway that ends the connection during its response', async () => {
    const url = await startServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('[', () => response.destroy());
    });
    await expect(open(url)).rejects.toThrow(`The gateway ${url} does not answer`);
  });

  it('openGateway() rejects a key that is not valid in a header', async () => {
    const url = 'http://127.0.0.1:1';
    const message = 'The key of the gateway must be one line of visible ASCII characters.';
    await expect(open(url, 'first-line\nsecond-line')).rejects.toThrow(message);
    await expect(open(url, 'schlüssel-€')).rejects.toThrow(message);
  });
});
