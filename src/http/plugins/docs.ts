// Serves the page at /docs, which shows the contract (the OpenAPI document of the gateway). The page consists of the
// files in src/http/docs-page and the script of Scalar, a viewer for such documents. It is public and loads nothing
// from other hosts. Decision D-142.
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { runScript } from '../../lib/script-process.ts';
import { endsWithSlash, type PageFile, readPageFile, sendPageFile, toGzipPageFile, toPageFile } from '../page-file.ts';
import { GATEWAY_VERSION, INTERFACE_VERSION } from '../versions.ts';

const FOLDER = new URL('../docs-page/', import.meta.url);

// The Content-Security-Policy of the page. Only scripts of this origin are allowed. The viewer has inline styles and
// icons.
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page with the versions of the gateway and of the interface. */
function readPage(): PageFile {
  const text = readFileSync(new URL('index.html', FOLDER), 'utf8')
    .replace('{gatewayVersion}', GATEWAY_VERSION)
    .replace('{interfaceVersion}', INTERFACE_VERSION);
  return toPageFile('index.html', Buffer.from(text));
}

/** The script of the viewer. A child process extracts it from Scalar. Rejects with an Error when the process fails. */
async function loadViewer(): Promise<PageFile> {
  const bytes = await runScript(new URL('./docs-viewer.process.ts', import.meta.url));
  return toGzipPageFile('viewer.js', bytes);
}

/** The functions that read the files, by the paths of the files below /docs/. */
const READERS: Record<string, () => PageFile | Promise<PageFile>> = {
  '': readPage,
  'page.css': () => readPageFile('page.css', new URL('page.css', FOLDER)),
  'page.js': () => readPageFile('page.js', new URL('page.js', FOLDER)),
  'viewer.js': loadViewer,
};

/** Registers the page unless SERVER_DISABLE_DOCS is on. */
export async function docsRoutes(
  app: FastifyInstance,
  { serverDisableDocs }: Pick<Config, 'serverDisableDocs'>,
): Promise<void> {
  if (serverDisableDocs) return;
  // Files are read at their first request, because most gateways never serve the page.
  const cache = new Map<string, Promise<PageFile>>();
  const send = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (!reader) return reply.callNotFound();
    const file = cache.get(name) ?? Promise.resolve(reader());
    cache.set(name, file);
    // A failure is not cached, so that the next request reads the file again.
    file.catch(() => cache.delete(name));
    // A 304 response also has the policy: browsers apply it to the page in their cache.
    reply.header('vary', 'accept-encoding').header('content-security-policy', CSP);
    return sendPageFile(await file, request, reply);
  };

  const config = { access: 'public' } as const;
  app.get('/docs', { config }, async (request, reply) => {
    // The URL is relative, so that the page works behind a reverse proxy that adds a path prefix.
    return endsWithSlash(request) ? send('', request, reply) : reply.redirect('docs/');
  });
  app.get<{ Params: { '*': string } }>('/docs/*', { config }, async (request, reply) =>
    send(request.params['*'], request, reply),
  );
}
