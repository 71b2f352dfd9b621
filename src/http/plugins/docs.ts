// Serves the page at /docs, which shows the contract: the files of src/http/docs-page and the script of the viewer. The
// page is public and loads nothing from other hosts. Decision D-142.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { runScript } from '../../lib/script-process.ts';
import { GATEWAY_VERSION, INTERFACE_VERSION } from '../versions.ts';

const FOLDER = new URL('../docs-page/', import.meta.url);

// Only scripts of this origin are allowed. The viewer has inline styles and icons.
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface File {
  bytes: Buffer;
  type: string;
  etag: string;
  /** Set when `bytes` are compressed. */
  encoding?: 'gzip';
}

const toEtag = (bytes: Buffer) => `"${hash('sha256', bytes, 'base64url')}"`;

/** The page with the versions of the gateway and of the interface. */
function readPage(): File {
  const text = readFileSync(new URL('index.html', FOLDER), 'utf8')
    .replace('{gatewayVersion}', GATEWAY_VERSION)
    .replace('{interfaceVersion}', INTERFACE_VERSION);
  const bytes = Buffer.from(text);
  return { bytes, type: 'text/html; charset=utf-8', etag: toEtag(bytes) };
}

function readPageFile(name: string, type: string): File {
  const bytes = readFileSync(new URL(name, FOLDER));
  return { bytes, type, etag: toEtag(bytes) };
}

/** The script of the viewer. Rejects with an Error when its process fails. */
async function loadViewer(): Promise<File> {
  const bytes = await runScript(new URL('./docs-viewer.process.ts', import.meta.url));
  return { bytes, type: 'text/javascript; charset=utf-8', etag: toEtag(bytes), encoding: 'gzip' };
}

/** Reads a file by its path below /docs/. */
const READERS: Record<string, () => File | Promise<File>> = {
  '': readPage,
  'page.css': () => readPageFile('page.css', 'text/css; charset=utf-8'),
  'page.js': () => readPageFile('page.js', 'text/javascript; charset=utf-8'),
  'viewer.js': loadViewer,
};

function sendFile(file: File, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-cache').header('etag', file.etag).header('vary', 'accept-encoding');
  // Also for a 304: browsers then use its policy for the page in their cache.
  reply.header('content-security-policy', CSP);
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  reply.type(file.type);
  if (!file.encoding) return reply.send(file.bytes);
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(gunzipSync(file.bytes));
  return reply.header('content-encoding', file.encoding).send(file.bytes);
}

/** Registers the page unless SERVER_DISABLE_DOCS is on. */
export async function docsRoutes(
  app: FastifyInstance,
  { serverDisableDocs }: Pick<Config, 'serverDisableDocs'>,
): Promise<void> {
  if (serverDisableDocs) return;
  // Files are read at their first request, because most gateways never serve the page.
  const cache = new Map<string, Promise<File>>();
  const read = (name: string, reader: () => File | Promise<File>) => {
    const file = cache.get(name) ?? Promise.resolve(reader());
    cache.set(name, file);
    // The next request retries.
    file.catch(() => cache.delete(name));
    return file;
  };

  const config = { access: 'public' } as const;
  app.get('/docs', { config }, async (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    // The URL is relative, so that the page works behind a reverse proxy that adds a path prefix.
    return path.endsWith('/') ? sendFile(await read('', readPage), request, reply) : reply.redirect('docs/');
  });
  app.get<{ Params: { '*': string } }>('/docs/*', { config }, async (request, reply) => {
    const name = request.params['*'];
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    return reader ? sendFile(await read(name, reader), request, reply) : reply.callNotFound();
  });
}
