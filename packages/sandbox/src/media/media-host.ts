// The media host: stores uploaded files, up to a maximum number of bytes in total, and serves them by path. Clients
// encrypt all files except those of channels and catalogs.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../crypto/media-cipher.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type FileAnswer, type FileRequest, MAX_FILE } from '../wire/listener.ts';
import type { Faults } from '../world/faults.ts';
import { PartialUploads } from './partial-uploads.ts';

/** Maximum size of all stored files in bytes. Above it, the oldest files are removed. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;
/** Kinds of files that both messages and channels have, as the paths of uploads name them. */
const KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'sticker-pack', 'gif', 'ptt', 'ptv', 'thumbnail-link'];
/** Kinds of files that are always encrypted. */
const PRIVATE_KINDS = [
  'md-app-state',
  'md-msg-hist',
  'thumbnail-image',
  'thumbnail-video',
  'thumbnail-document',
  'thumbnail-sticker-pack',
];
/** Folders of uploads that are encrypted. */
const ENCRYPTED_UPLOADS = new Set([...KINDS, ...PRIVATE_KINDS].map((kind) => `mms/${kind}`));
/** Folders of uploads that are not encrypted: the files of channels and catalogs. */
const PUBLIC_UPLOADS = new Set(['product/image', ...KINDS.map((kind) => `newsletter/newsletter-${kind}`)]);
/**
 * Path of an upload: the folder for the kind of file, and the SHA-256 of the uploaded bytes (base64url). Some clients
 * add the padding character `=` to the hash.
 */
const UPLOAD_PATH = /^\/([a-z]+\/[a-z-]+)\/([\w-]{43})(?:=|%3[Dd])?$/;
/** Path prefix of encrypted files. */
const ENCRYPTED_PREFIX = '/v/';
/** Path prefix of files that are not encrypted: those of channels and catalogs. */
const PUBLIC_PREFIX = '/m1/v/';
/** Lifetime of an upload token in seconds. */
export const TOKEN_LIFETIME = 3600;
/** Number of complete uploads that the host remembers, so that clients need not send them again. */
const MAX_REMEMBERED_UPLOADS = 10_000;

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
  /** Creates a token that authorizes uploads during TOKEN_LIFETIME. */
  createToken(): string;
  /** Answers an upload or download; undefined for any other path. */
  serve(request: FileRequest): Promise<FileAnswer | undefined>;
  /** Stores a file. `isPublic`: the file is not encrypted; default false. */
  store(body: Buffer, options?: { isPublic?: boolean }): StoredFile;
  /** Whether a file that is not encrypted is stored at this direct path. */
  isPublic(directPath: string): boolean;
  /**
   * Returns the file at a direct path, if any. Unlike a download over HTTP, read() ignores pending faults (errors that
   * tests inject).
   */
  read(directPath: string): Buffer | undefined;
}

export function createMediaHost(faults: Faults, clock: Clock = systemClock): MediaHost {
  /** By direct path, which contains the hash of the file as the parameter `oh`. */
  const files = new Map<string, Buffer>();
  /** Direct paths of complete uploads by uploadKey(). The file of such a path can have been removed from `files`. */
  const uploads = new Map<string, string>();
  const partialUploads = new PartialUploads();
  /** Expiry time of each token in epoch ms, oldest token first. */
  const tokens = new Map<string, number>();
  let hostname = '';
  /** Size of all `files`. */
  let storedBytes = 0;

  const urlOf = (directPath: string) => `https://${hostname}${directPath}`;

  function store(body: Buffer, { isPublic = false } = {}): StoredFile {
    const name = randomBytes(16).toString('hex');
    const path = isPublic ? `${PUBLIC_PREFIX}${name}` : `${ENCRYPTED_PREFIX}${name}.enc`;
    const directPath = `${path}?oh=${sha256(body).toString('base64url')}`;
    files.set(directPath, body);
    storedBytes += body.length;
    for (const [oldest, bytes] of files) {
      if (storedBytes <= MAX_STORED_BYTES) break;
      files.delete(oldest);
      storedBytes -= bytes.length;
    }
    return { url: urlOf(directPath), directPath };
  }

  /** Receives an upload. `hash`: the last segment of the path, which must be the hash of the bytes. */
  async function upload({ query, body }: FileRequest, hash: string, isPublic: boolean): Promise<FileAnswer> {
    const fault = faults.take('upload');
    if (fault) return { status: fault.code ?? 500 };
    const expiry = tokens.get(query.get('auth') ?? '') ?? 0;
    if (expiry <= clock.now()) return { status: 401 };
    // The parameter `auth` contains the upload token. The parameter `token` repeats the hash.
    if (query.get('token')?.replace(/=$/, '') !== hash) return { status: 400 };
    const key = uploadKey(hash, isPublic);
    if (query.get('resume') === '1') return toJson(progressOf(key));
    const bytes = await partialUploads.receive(key, Number(query.get('file_offset') ?? 0), body);
    if (!bytes || sha256(bytes).toString('base64url') !== hash) return { status: 400 };
    const { url, directPath } = store(bytes, { isPublic });
    rememberUpload(key, directPath);
    return toJson({ url, direct_path: directPath });
  }

  /**
   * The answer to a client that wants to resume an upload: `complete` and the address of the file, or the number of
   * bytes that the host has kept.
   */
  function progressOf(key: string): Record<string, string> {
    const directPath = uploads.get(key);
    if (!directPath || !files.has(directPath)) return { resume: String(partialUploads.sizeOf(key)) };
    return { resume: 'complete', url: urlOf(directPath), direct_path: directPath };
  }

  function rememberUpload(key: string, directPath: string): void {
    // A repeated upload becomes the newest entry.
    uploads.delete(key);
    uploads.set(key, directPath);
    const [oldest] = uploads.keys();
    if (uploads.size > MAX_REMEMBERED_UPLOADS && oldest) uploads.delete(oldest);
  }

  /** Serves the file with this path and parameter `oh`; clients add other parameters. */
  function download({ path, query }: FileRequest): FileAnswer {
    const fault = faults.take('download');
    if (fault) return { status: fault.code ?? 404 };
    const body = files.get(`${path}?oh=${query.get('oh')}`);
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
      for (const [oldest, expiry] of tokens) {
        if (expiry > clock.now()) break;
        tokens.delete(oldest);
      }
      const token = randomBytes(24).toString('base64url');
      tokens.set(token, clock.now() + TOKEN_LIFETIME * 1000);
      return token;
    },
    async serve(request) {
      const { method, path } = request;
      if (method === 'GET' && (path.startsWith(ENCRYPTED_PREFIX) || path.startsWith(PUBLIC_PREFIX)))
        return download(request);
      const [, folder = '', hash] = UPLOAD_PATH.exec(path) ?? [];
      const isPublic = PUBLIC_UPLOADS.has(folder);
      if (method !== 'POST' || !hash || !(isPublic || ENCRYPTED_UPLOADS.has(folder))) return undefined;
      return upload(request, hash, isPublic);
    },
    store,
    isPublic: (directPath) => directPath.startsWith(PUBLIC_PREFIX) && files.has(directPath),
    read: (directPath) => files.get(directPath),
  };
}

const uploadKey = (hash: string, isPublic: boolean) => `${isPublic ? 'public' : 'encrypted'}|${hash}`;

const toJson = (value: unknown): FileAnswer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
});
