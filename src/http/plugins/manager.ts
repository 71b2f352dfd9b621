// Serves the manager page at /manager: the files of packages/manager/src and the libraries they import. The fixed list
// of files makes path traversal impossible. Decision D-131.
import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { CONTENT_TYPES, endsWithSlash, type PageFile, readPageFile, sendPageFile } from '../page-file.ts';

const FOLDER = new URL('../../../packages/manager/src/', import.meta.url);

/** The modules of npm packages by their file names in the page's import map. */
const VENDOR_MODULES = { 'preact.js': 'preact', 'hooks.js': 'preact/hooks', 'htm.js': 'htm' };

/** The locations of the files by their paths below /manager/. */
function listFiles(): Map<string, URL> {
  const pageFiles = readdirSync(FOLDER).filter((name) => extname(name) in CONTENT_TYPES);
  const files = new Map(pageFiles.map((name) => [name, new URL(name, FOLDER)]));
  for (const [name, specifier] of Object.entries(VENDOR_MODULES)) {
    files.set(`vendor/${name}`, new URL(import.meta.resolve(specifier)));
  }
  return files;
}

/**
 * The Content-Security-Policy of the page. Scripts, styles and requests are allowed for this origin only. The import
 * map, the only inline script, is allowed by its hash. Trusted types keep scripts from turning text into markup or
 * code.
 */
function policyFor(page: PageFile): string {
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

/**
 * Registers the page unless SERVER_DISABLE_MANAGER is on. The page is public, because it reads all data through the API
 * with the key that the user enters.
 */
export async function managerRoutes(
  app: FastifyInstance,
  { serverDisableManager }: Pick<Config, 'serverDisableManager'>,
): Promise<void> {
  if (serverDisableManager) return;
  const locations = listFiles();
  // Files are read at their first request, because most gateways never serve the page.
  const cache = new Map<string, PageFile>();

  const send = (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const location = locations.get(name);
    if (!location) return reply.callNotFound();
    const file = cache.get(name) ?? readPageFile(name, location);
    cache.set(name, file);
    if (name === 'index.html') reply.header('content-security-policy', policyFor(file));
    return sendPageFile(file, request, reply);
  };

  const config = { access: 'public' } as const;
  app.get('/manager', { config }, async (request, reply) => {
    // The URL is relative, so that the page works behind a reverse proxy that adds a path prefix.
    return endsWithSlash(request) ? send('index.html', request, reply) : reply.redirect('manager/');
  });
  app.get<{ Params: { '*': string } }>('/manager/*', { config }, async (request, reply) =>
    send(request.params['*'] || 'index.html', request, reply),
  );
}
