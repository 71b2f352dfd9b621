// A server with the two operations of a gateway that the import program calls. Tests choose its answers.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface ImportRequest {
  apikey: string | undefined;
  body: { bundle: { instance: { name: string } }; allowUnencrypted?: boolean };
}

export interface ImportAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface ImportGateway {
  readonly url: string;
  /** Requests of POST /instance/import, in order of arrival. */
  readonly imports: readonly ImportRequest[];
}

interface ImportGatewayOptions {
  /** Returns the answer to an import; by default 201. `count` is the number of imports so far. */
  answer?: (request: ImportRequest, count: number) => ImportAnswer | Promise<ImportAnswer>;
  /** JIDs of the accounts of existing instances, by instance name; null for an instance without one. */
  instances?: Record<string, string | null>;
}

const KEY_REFUSED = { status: 401, body: { status: 401, response: { message: ['The API key is not valid.'] } } };

/** Starts the server. The end of the test stops it. Its key is `global-key`. */
export async function startImportGateway({
  answer = () => ({ status: 201 }),
  instances = {},
}: ImportGatewayOptions = {}): Promise<ImportGateway> {
  const imports: ImportRequest[] = [];
  const respond = async (request: IncomingMessage): Promise<ImportAnswer> => {
    const apikey = request.headers.apikey?.toString();
    if (apikey !== 'global-key') return KEY_REFUSED;
    if (request.method === 'GET') return findInstance(instances, new URL(request.url ?? '', 'http://gateway'));
    const body = (await json(request)) as ImportRequest['body'];
    imports.push({ apikey, body });
    const importAnswer = await answer({ apikey, body }, imports.length);
    const instance = { instanceName: body.bundle.instance.name, status: 'close' };
    const result = { instance, taken: { sessions: 4 }, dropped: [], warnings: ['The proxy was not tested.'] };
    return importAnswer.status === 201 ? { body: result, ...importAnswer } : importAnswer;
  };
  const server = createServer((request, response) => {
    respond(request)
      .then(({ status, headers, body }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(body ?? {}));
      })
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, imports };
}

function findInstance(instances: Record<string, string | null>, { searchParams }: URL): ImportAnswer {
  const name = searchParams.get('instanceName');
  if (name === null) return { status: 200, body: { instances: { total: 0, records: [] } } };
  if (!Object.hasOwn(instances, name)) return { status: 404 };
  return { status: 200, body: [{ name, ownerJid: instances[name] }] };
}
