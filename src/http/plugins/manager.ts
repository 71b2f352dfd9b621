// The page for operators at /manager: the files of packages/manager/src and the library that they use, nothing from other hosts.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';

const folder = new URL('../../../packages/manager/src/', import.meta.url);

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Files of packages by the names that the page's import map gives them. */
const packages = { 'preact.js': 'preact', 'hooks.js': 'preact/hooks', 'htm.js': 'htm' };

interface File {
  bytes: Buffer;
  etag: string;
  type: string;
}

/** Name below /manager/ → where the file is. */
function listFiles(): Map<string, URL> {
  const own = readdirSync(folder).filter((name) => extname(name) in types);
  const files = new Map(own.map((name) => [name, new URL(name, folder)]));
  for (const [name, target] of Object.entries(packages)) {
    files.set(`vendor/${name}`, new URL(import.meta.resolve(target)));
  }
  return files;
}

function readFile(place: URL, name: string): File {
  const bytes = readFileSync(fileURLToPath(place));
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"`, type: types[extname(name)] ?? '' };
}

/**
 * What the page may do: its own scripts and styles, and calls to this gateway. The import map is the one script that has to stand in the
 * page itself, so it is let in by its hash. No text may become markup or code, whatever a script does with it.
 */
function policyFor(page: File): string {
  const [, afterTag = ''] = page.bytes.toString().split('<script type="importmap">', 2);
  const [importMap = ''] = afterTag.split('</script>', 1);
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', importMap, 'base64')}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Registers the page, public as the documentation is: what it shows it asks for with the key of whoever logs in. */
export async function managerRoutes(
  app: FastifyInstance,
  { serverDisableManager }: Pick<Config, 'serverDisableManager'>,
): Promise<void> {
  if (serverDisableManager) return;
  const places = listFiles();
  // Read when somebody opens the page, which most gateways never see.
  const read = new Map<string, File>();

  const send = (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const place = places.get(name);
    if (!place) return reply.callNotFound();
    const file = read.get(name) ?? readFile(place, name);
    read.set(name, file);
    if (name === 'index.html') reply.header('content-security-policy', policyFor(file));
    reply.header('cache-control', 'no-cache').header('etag', file.etag);
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
    return reply.type(file.type).send(file.bytes);
  };

  const config = { access: 'public' } as const;
  app.get('/manager', { config }, async (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    // The page's files have relative addresses, so that it also works behind a proxy that adds a prefix.
    return path.endsWith('/') ? send('index.html', request, reply) : reply.redirect('manager/');
  });
  app.get<{ Params: { '*': string } }>('/manager/*', { config }, async (request, reply) =>
    send(request.params['*'] || 'index.html', request, reply),
  );
}
