// The media host: stores uploaded files and serves them by path, up to a maximum number of bytes. Clients encrypt all
// files except those of channels.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../crypto/media-cipher.ts';
import { type FileAnswer, type FileRequest, MAX_FILE } from '../wire/listener.ts';
import type { Faults } from '../world/faults.ts';

/** Maximum size of all stored files in bytes; the oldest are removed. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;
/** Paths of uploads: kind of file and hash of the uploaded bytes. Channels (`newsletter`) have their own paths. */
const UPLOADS =
  /^\/(?:mms\/(?:image|video|audio|document|md-app-state)|(newsletter)\/newsletter-(?:image|video|audio|document))\/([\w-]{43})$/;
/** Path prefix of encrypted files. */
const FILES = '/v/';
/** Path prefix of the files of channels. */
const PUBLIC = '/m1/v/';

export interface StoredFile {
  /** `https://host:port/…` */
  url: string;
  /** Path and query; unique for each upload. */
  directPath: string;
}

export interface MediaHost {
  /** `host:port` of the media host; empty until setHostname() is called. */
  readonly hostname: string;
  /** Maximum size of an upload in bytes. */
  readonly maxBytes: number;
  setHostname(hostname: string): void;
  /** Creates a token that authorizes uploads. */
  createToken(): string;
  /** Answers an upload or download; undefined for any other path. */
  serve(request: FileRequest): Promise<FileAnswer | undefined>;
  /** Stores a file; `isPublic` for a file of a channel. */
  store(body: Buffer, isPublic?: boolean): StoredFile;
  /** Whether a file of a channel is stored at this direct path. */
  isPublic(directPath: string): boolean;
  /** Returns the file at a direct path, if any. Unlike a download over HTTP, it ignores pending faults. */
  read(directPath: string): Buffer | undefined;
}

export function createMediaHost(faults: Faults): MediaHost {
  const files = new Map<string, Buffer>();
  const tokens = new Set<string>();
  let hostname = '';
  let size = 0;

  function store(body: Buffer, isPublic = false): StoredFile {
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

  /** `hash`: the last segment of the path, which is the hash of the file. */
  async function upload({ query, body }: FileRequest, hash: string, isPublic: boolean): Promise<FileAnswer> {
    const fault = faults.take('upload');
    if (fault) return { status: fault.code ?? 500 };
    if (!tokens.has(query.get('auth') ?? '')) return { status: 401 };
    const bytes = await body();
    const hasHash = query.get('token') === hash && sha256(bytes).toString('base64url') === hash;
    if (!hasHash) return { status: 400 };
    const { url, directPath } = store(bytes, isPublic);
    return { status: 200, type: 'application/json', body: JSON.stringify({ url, direct_path: directPath }) };
  }

  function download({ url }: FileRequest): FileAnswer {
    const fault = faults.take('download');
    if (fault) return { status: fault.code ?? 404 };
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
      const [, channel, hash] = UPLOADS.exec(path) ?? [];
      return method === 'POST' && hash ? upload(request, hash, channel !== undefined) : undefined;
    },
    store,
    isPublic: (directPath) => directPath.startsWith(PUBLIC) && files.has(directPath),
    read: (directPath) => files.get(directPath),
  };
}
