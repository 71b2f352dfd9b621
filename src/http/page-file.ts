// Files of the pages at /manager and /docs: their content types, ETags and responses. @fastify/static is not used,
// because it derives ETags from size and modification time: the ETags of one file differ between nodes, and two
// versions of a file can have the same ETag. Decision D-162.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The content types of page files by the extension of their names. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface PageFile {
  bytes: Buffer;
  etag: string;
  /** Content type; '' for an unknown extension. */
  type: string;
  /** Set when `bytes` are compressed. */
  compression?: {
    encoding: 'gzip';
    /** Resolves with the decompressed bytes, which all callers share. */
    decompress(): Promise<Buffer>;
  };
}

/** Returns the file with these bytes. `name` determines its content type. */
export function toPageFile(name: string, bytes: Buffer): PageFile {
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"`, type: CONTENT_TYPES[extname(name)] ?? '' };
}

/** Returns the file with these bytes, which are compressed with gzip. `name` determines its content type. */
export function toGzipPageFile(name: string, bytes: Buffer): PageFile {
  // Most clients accept gzip, so the file is decompressed only at the first request of a client that does not.
  let plain: Promise<Buffer> | undefined;
  const decompress = () => {
    plain ??= promisify(gunzip)(bytes);
    return plain;
  };
  return { ...toPageFile(name, bytes), compression: { encoding: 'gzip', decompress } };
}

/**
 * Reads the file at `location`. `name` determines its content type. The extension in `location` does not, because
 * scripts of npm packages can end in `.mjs`.
 */
export const readPageFile = (name: string, location: URL): PageFile => toPageFile(name, readFileSync(location));

/** Sends a file, or 304 when the caller has this version. Decompresses the file for callers that do not accept gzip. */
export async function sendPageFile(
  file: PageFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-cache').header('etag', file.etag);
  if (hasETag(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  reply.type(file.type);
  if (!file.compression) return reply.send(file.bytes);
  const { encoding, decompress } = file.compression;
  reply.header('vary', 'accept-encoding');
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(await decompress());
  return reply.header('content-encoding', encoding).send(file.bytes);
}

/**
 * Whether an If-None-Match header has this ETag. Ignores the mark of weak ETags (`W/"…"`), which a proxy adds when it
 * compresses responses.
 */
const hasETag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag) === true;

/** Whether an Accept-Encoding header allows gzip: `gzip;q=0` does not. */
const acceptsGzip = (header: string | string[] | undefined): boolean =>
  String(header)
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;|$)/i.test(coding) && !/;\s*q=0(?:\.0*)?\s*$/i.test(coding));

/** Whether the path of a request ends with a slash. The relative links of a page work only at such a path. */
export const endsWithSlash = ({ url }: FastifyRequest): boolean => url.split('?', 1)[0]?.endsWith('/') === true;
