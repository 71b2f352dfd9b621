// Media as callers name it (address, base64, data URL, a file of the same request) → its bytes. Refuses what is empty, too large, unreachable or no media address,
// and says which. A caller's text never reaches Baileys, which would read a local file by it.
import { type ErrorCode, GatewayError } from '../../errors.ts';

export interface Download {
  status: number;
  body: Buffer;
  /** The body was larger than asked for, and is not here. */
  oversize: boolean;
}

/** GET through the guarded client. Rejects on failure; with GatewayError for forbidden addresses. */
export type GetUrl = (url: string, limits: { timeout: number; maxBytes: number }) => Promise<Download>;

export interface SourceLimits {
  /** Longest file, bytes. */
  maxBytes: number;
  /** For an address to answer completely, ms. */
  timeout: number;
}

/** Characters within which an address ends its scheme. */
const MAX_SCHEME_LENGTH = 64;

/** An error of a send that did not even begin. */
export const mediaError = (code: ErrorCode, problem: string, cause?: unknown) =>
  new GatewayError(code, [problem], { certain: true, cause });

export interface SourceDeps extends SourceLimits {
  get: GetUrl;
  /** The bytes under an address of Uploads. */
  upload: (address: string) => Promise<Buffer | undefined>;
}

/** The bytes that `source` names. Throws MEDIA_UNREACHABLE, MEDIA_TOO_LARGE, MEDIA_INVALID and ADDRESS_FORBIDDEN, always `certain`. */
export async function fetchMedia(source: string, { get, upload, maxBytes, timeout }: SourceDeps): Promise<Buffer> {
  const text = source.trim();
  // Base64 looks like the beginning of a scheme, all of it.
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text.slice(0, MAX_SCHEME_LENGTH))?.[1]?.toLowerCase();
  if (scheme === 'data') return decode(text.slice(text.indexOf(',') + 1), maxBytes, isBase64(text));
  const uploaded = scheme === 'upload' ? await upload(text) : undefined;
  if (uploaded) return withValidSize(uploaded, maxBytes);
  if (scheme !== undefined) return download(text, { get, maxBytes, timeout });
  return decode(text, maxBytes, true);
}

const isBase64 = (dataUrl: string) => /^data:[^,]{0,200};base64,/i.test(dataUrl);

function decode(text: string, maxBytes: number, marked: boolean): Buffer {
  if (!marked || !/^[\w+/\s-]*={0,2}$/.test(text))
    throw mediaError('MEDIA_INVALID', 'Owned media must be a url or base64');
  // Takes the alphabet of URLs as well, and skips blanks.
  return withValidSize(Buffer.from(text, 'base64'), maxBytes);
}

async function download(url: string, { get, maxBytes, timeout }: SourceLimits & { get: GetUrl }): Promise<Buffer> {
  let answer: Download;
  try {
    answer = await get(url, { timeout, maxBytes });
  } catch (error) {
    if (error instanceof GatewayError)
      throw new GatewayError(error.code, error.body, { certain: true, cause: error.cause });
    throw mediaError('MEDIA_UNREACHABLE', `The media address could not be read: ${errorCodeOf(error)}`, error);
  }
  const { status, body, oversize } = answer;
  if (status < 200 || status > 299) throw mediaError('MEDIA_UNREACHABLE', `The media address answered ${status}`);
  if (oversize) throw tooLarge(maxBytes);
  return withValidSize(body, maxBytes);
}

function withValidSize(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length === 0) throw mediaError('MEDIA_INVALID', 'The media is empty');
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

const tooLarge = (maxBytes: number) => mediaError('MEDIA_TOO_LARGE', `The media is larger than ${maxBytes} bytes`);

/** The code that Node gives, which names no address; its message might name one inside the network. */
function errorCodeOf(error: unknown): string {
  const code: unknown = error instanceof Error && Reflect.get(error, 'code');
  return typeof code === 'string' ? code : 'the connection failed';
}
