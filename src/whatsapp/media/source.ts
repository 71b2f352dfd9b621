// Reads the media of a request: a URL, base64, a data URL, or a file of the same multipart request. The media field of
// a request is never passed to Baileys, because Baileys would read a local file if the field contained a path. Decision
// D-057.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { type ErrorCode, GatewayError } from '../../errors.ts';

export interface Download {
  status: number;
  body: Buffer;
  /** True when the file was larger than `maxBytes`. `body` is then a short text that says so. */
  isOversize: boolean;
}

/**
 * Sends a GET with the gateway's HTTP client, which refuses internal addresses with a GatewayError. Rejects with
 * another error when the request fails.
 */
export type GetUrl = (url: string, limits: { timeout: number; maxBytes: number }) => Promise<Download>;

export interface SourceLimits {
  /** Maximum file size, bytes. */
  maxBytes: number;
  /** Timeout for the whole download, ms. */
  timeout: number;
}

/** Number of characters at the start of a text in which a URL scheme is searched. */
const MAX_SCHEME_LENGTH = 64;

/** Builds an error for media that cannot be used. It has `certain: true`, because nothing was sent. */
export const mediaError = (code: ErrorCode, problem: string, cause?: unknown) =>
  new GatewayError(code, [problem], { certain: true, cause });

export interface SourceDeps extends SourceLimits {
  get: GetUrl;
  /**
   * Returns an uploaded file of the request and removes the file from memory or disk. `address` starts with `upload:`.
   * Undefined for an unknown address. RequestFiles.take() implements this function.
   */
  takeUploaded: (address: string) => Promise<Buffer | undefined>;
}

/**
 * Returns the bytes of `source`. Throws MEDIA_UNREACHABLE, MEDIA_TOO_LARGE, MEDIA_INVALID (also for empty media) and
 * ADDRESS_FORBIDDEN, all with `certain: true` (nothing was sent).
 */
export async function fetchMedia(
  source: string,
  { get, takeUploaded, maxBytes, timeout }: SourceDeps,
): Promise<Buffer> {
  const text = source.trim();
  // Only the first characters are searched, because base64 text can match the start of the pattern for megabytes.
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text.slice(0, MAX_SCHEME_LENGTH))?.[1]?.toLowerCase();
  if (scheme === 'data') {
    if (!isBase64DataUrl(text)) throw notMediaError();
    return decodeBase64(text.slice(text.indexOf(',') + 1), maxBytes);
  }
  const uploaded = scheme === 'upload' ? await takeUploaded(text) : undefined;
  if (uploaded) return withValidSize(uploaded, maxBytes);
  // The HTTP client refuses schemes other than http and https, among them `upload:` when the file does not exist.
  if (scheme !== undefined) return download(text, { get, maxBytes, timeout });
  return decodeBase64(text, maxBytes);
}

const isBase64DataUrl = (dataUrl: string) => /^data:[^,]{0,200};base64,/i.test(dataUrl);

/** Builds the error for a text that is neither a URL nor base64. */
const notMediaError = () => mediaError('MEDIA_INVALID', COMPATIBILITY_PHRASES.ownedMedia);

function decodeBase64(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(text, 'base64');
  // The pattern accepts what Buffer decodes: also the URL-safe alphabet and whitespace. For most texts the first
  // condition makes the pattern unnecessary. The first condition takes a tenth of the pattern's time.
  if (!isDecodedCompletely(text, bytes) && !/^[\w+/\s-]*={0,2}$/.test(text)) throw notMediaError();
  return withValidSize(bytes, maxBytes);
}

/**
 * True when the length of `bytes` shows that Buffer has decoded all characters of `text` except padding. Base64 has
 * groups of four characters. False also when the last group has only one character, because this character adds no
 * byte.
 */
function isDecodedCompletely(text: string, bytes: Buffer): boolean {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const characters = text.length - padding;
  // Buffer decodes the low byte of a character above 0xff, so that a character outside of base64 can add bytes.
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii && characters % 4 !== 1 && bytes.length === Math.floor((characters * 3) / 4);
}

async function download(url: string, { get, maxBytes, timeout }: SourceLimits & { get: GetUrl }): Promise<Buffer> {
  let answer: Download;
  try {
    answer = await get(url, { timeout, maxBytes });
  } catch (error) {
    if (error instanceof GatewayError)
      throw new GatewayError(error.code, error.responseMessage, { certain: true, cause: error.cause });
    throw mediaError('MEDIA_UNREACHABLE', `The media address could not be read: ${errorCodeOf(error)}`, error);
  }
  const { status, body, isOversize } = answer;
  if (status < 200 || status > 299) throw mediaError('MEDIA_UNREACHABLE', `The media address answered ${status}`);
  if (isOversize) throw tooLargeError(maxBytes);
  return withValidSize(body, maxBytes);
}

function withValidSize(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length === 0) throw mediaError('MEDIA_INVALID', 'The media is empty');
  if (bytes.length > maxBytes) throw tooLargeError(maxBytes);
  return bytes;
}

const tooLargeError = (maxBytes: number) =>
  mediaError('MEDIA_TOO_LARGE', `The media is larger than ${maxBytes} bytes (setting MEDIA_LIMIT).`);

/** Returns Node's error code. The error's message is not reported, because it can contain an internal address. */
function errorCodeOf(error: unknown): string {
  const code: unknown = error instanceof Error && Reflect.get(error, 'code');
  return typeof code === 'string' ? code : 'the connection failed';
}
