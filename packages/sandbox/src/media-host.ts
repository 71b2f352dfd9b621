// The media server: accepts uploads with a token and serves files by path, with an upper limit of stored bytes. Files
// are encrypted, except those of channels.
import { randomBytes } from 'node:crypto';
import type { Faults } from './faults.ts';
import { sha256 } from './media.ts';
import { type FileAnswer, type FileRequest, MAX_FILE } from './wire/listener.ts';

/** Bytes kept in all. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;
const UPLOADS =
  /^\/(?:mms\/(?:image|video|audio|document|md-app-state)|(newsletter)\/newsletter-(?:image|video|audio|document))\/([\w-]{43})$/;
const FILES = '/v/';
/** Files of channels. */
const PUBLIC = '/m1/v/';

export interface StoredFile {
  /** `https://host:port/…` */
  url: string;
  /** Path and query; every upload has its own. */
  directPath: string;
}

export interface MediaHost {
  /** Where it listens, `host:port`; known once the ports are open. */
  readonly hostname: string;
  /** Largest upload, bytes. */
  readonly maxBytes: number;
  setHostname(hostname: string): void;
  /** A new upload token. */
  createToken(): string;
  /** Serves the request; undefined when the path is none of its own. */
  serve(request: FileRequest): Promise<FileAnswer | undefined>;
  /** `isPublic`: a file of a channel. */
  store(body: Buffer, isPublic?: boolean): StoredFile;
  /** Whether a file of a channel lies at a direct path. */
  isPublic(directPath: string): boolean;
  /** The file at a direct path; undefined when nothing lies there. Does not ask the faults. */
  read(directPath: string): Buffer | undefined;
}

export function createMediaHost(faults: Faults): MediaHost {
  const files = new Map<string, Buffer>();
  const tokens = new Set<string>();
  let hostname = '';
  let size = 0;

  function keep(body: Buffer, isPublic = false): StoredFile {
    const name = isPublic
      ? `${PUBLIC}${randomBytes(16).toString('hex')}`
      : `${FILES}${randomBytes(16).toString('hex')}.enc`;
    const directPath = `${name}?oh=${sha256(body).toString('base64url')}`;
    files.set(directPath, body);
    size += body.length;
    for (const [oldest, bytes] of files) {
      if (size <= MAX_STORED_BYTES) break;
      files.delete(oldest);
      size -= bytes.length;
    }
    return { url: `https://${hostname}${directPath}`, directPath };
  }

  async function upload({ query, body }: FileRequest, token: string, isPublic: boolean): Promise<FileAnswer> {
    const broken = faults.take('upload');
    if (broken) return { status: broken.code ?? 500 };
    if (!tokens.has(query.get('auth') ?? '')) return { status: 401 };
    const bytes = await body();
    const isWhole = query.get('token') === token && sha256(bytes).toString('base64url') === token;
    if (!isWhole) return { status: 400 };
    const { url, directPath } = keep(bytes, isPublic);
    return { status: 200, type: 'application/json', body: JSON.stringify({ url, direct_path: directPath }) };
  }

  function download({ url }: FileRequest): FileAnswer {
    const broken = faults.take('download');
    if (broken) return { status: broken.code ?? 404 };
    const body = files.get(url);
    return body ? { status: 200, type: 'application/octet-stream', body } : { status: 404 };
  }

  return {
    get hostname() {
      return hostname;
    },
    maxBytes: MAX_FILE,
    setHostname(name) {
      hostname = name;
    },
    createToken() {
      const token = randomBytes(24).toString('base64url');
      tokens.add(token);
      return token;
    },
    async serve(request) {
      const { method, path } = request;
      if (method === 'GET' && (path.startsWith(FILES) || path.startsWith(PUBLIC))) return download(request);
      const [, channel, token] = UPLOADS.exec(path) ?? [];
      return method === 'POST' && token ? upload(request, token, channel !== undefined) : undefined;
    },
    store: keep,
    isPublic: (directPath) => directPath.startsWith(PUBLIC) && files.has(directPath),
    read: (directPath) => files.get(directPath),
  };
}
