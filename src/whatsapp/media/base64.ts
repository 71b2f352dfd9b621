// Returns the file of a message as base64 in JSON, for API clients that expect this form. GET /media returns the file
// itself. Memory holds only a few chunks of the file. Decision D-097.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import type { JsonObject, MessageKey } from '../../events/events.ts';
import type { Session } from '../session.ts';
import { type AttachedFile, attachedFileOf, fileFieldsOf } from './attached-file.ts';
import type { OpenFile } from './encrypted-spool.ts';
import { fileNameOf } from './file-headers.ts';
import { type MessageFiles, readAll } from './message-files.ts';
import type { ToMp4 } from './mp4.ts';

export interface Base64Input {
  message: {
    key: { id: string; remoteJid?: string; fromMe?: boolean; participant?: string };
    /** Message content, used when the message is not stored. */
    message?: JsonObject;
  };
  /** Converts sounds to MP4. Other files stay unchanged. */
  convertToMp4?: boolean;
}

export interface Base64Deps {
  instanceId: string;
  files: Pick<MessageFiles, 'find' | 'open'>;
  /** Converts the sound that `readSound` reads. */
  toMp4: (readSound: () => Promise<Buffer>) => ReturnType<ToMp4>;
  /** Returns the session, or throws INSTANCE_NOT_OPEN. */
  session: () => Session;
  /** Aborts when the caller no longer needs the file. */
  signal: AbortSignal;
  /** Maximum file size, bytes. */
  maxBytes: number;
}

/**
 * Opens the file of a message as a JSON text that contains the file in base64, and its metadata (MediaBase64 in the
 * contract). Throws MESSAGE_NOT_FOUND and MESSAGE_WITHOUT_MEDIA, both with status 400, the errors of
 * MessageFiles.open() and of ToMp4, and the reason of `signal`.
 */
export async function openAsBase64(
  deps: Base64Deps,
  { message, convertToMp4 = false }: Base64Input,
): Promise<OpenFile> {
  const { key, attached, content } = await findFile(deps, message);
  const { instanceId, session, signal, maxBytes } = deps;
  const { kind } = attached;
  const shouldConvert = convertToMp4 && kind === 'audio';
  const open = () => deps.files.open({ instanceId, key, attached, session, signal, maxBytes });
  const file = shouldConvert ? await deps.toMp4(async () => readAll(await open())) : await open();
  if (signal.aborted) {
    // A caller that has aborted would not close the file.
    await file.close();
    throw signal.reason;
  }
  const { mimetype, fileName } = shouldConvert ? { mimetype: 'audio/mp4', fileName: undefined } : attached;
  const { caption, height, width } = fileFieldsOf(content)?.file ?? {};
  const head = {
    mediaType: `${kind}Message`,
    fileName: fileNameOf({ mimetype, fileName }, key.id),
    size: {
      fileLength: String(file.size),
      ...(Number.isInteger(height) ? { height: Number(height) } : {}),
      ...(Number.isInteger(width) ? { width: Number(width) } : {}),
    },
    mimetype: mimetype ?? 'application/octet-stream',
  };
  // Clients of other WhatsApp gateways expect the field `buffer`.
  const tail = { ...(typeof caption === 'string' && caption !== '' ? { caption } : {}), buffer: null };
  return toJsonFile(file, head, tail);
}

/**
 * Returns the JSON text of one object: the fields of `head`, then the field `base64` with the file, then the fields of
 * `tail`. Closing the text closes the file.
 */
function toJsonFile(file: OpenFile, head: object, tail: object): OpenFile {
  const start = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"base64":"`);
  const end = Buffer.from(`",${JSON.stringify(tail).slice(1)}`);
  return {
    size: start.length + base64Size(file.size) + end.length,
    async *read() {
      yield start;
      yield* toBase64(file.read());
      yield end;
    },
    close: () => file.close(),
  };
}

/** Length of `size` bytes in base64. */
const base64Size = (size: number): number => 4 * Math.ceil(size / 3);

/** Yields the base64 text of the chunks. Each piece but the last one encodes a multiple of three bytes. */
async function* toBase64(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString('base64', 0, end), 'latin1');
    rest = bytes.subarray(end);
  }
  yield Buffer.from(rest.toString('base64'), 'latin1');
}

interface FoundFile {
  key: MessageKey;
  attached: AttachedFile;
  content: JsonObject;
}

/** Finds the file in the stored message or, when the message is not stored, in the content of the request. */
async function findFile(
  { instanceId, files }: Base64Deps,
  { key, message: content }: Base64Input['message'],
): Promise<FoundFile> {
  try {
    return await files.find(instanceId, { id: key.id, remoteJid: key.remoteJid || undefined });
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : undefined;
    if (code !== 'MESSAGE_NOT_FOUND' && code !== 'MESSAGE_WITHOUT_MEDIA') throw error;
    const isNotStored = code === 'MESSAGE_NOT_FOUND';
    const attached = isNotStored && content && attachedFileOf(content);
    if (attached) {
      const { id, remoteJid = '', fromMe = false, participant } = key;
      return { key: { remoteJid, fromMe, id, ...(participant ? { participant } : {}) }, attached, content };
    }
    if (isNotStored && !content) throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { status: 400 });
    throw new GatewayError('MESSAGE_WITHOUT_MEDIA', [COMPATIBILITY_PHRASES.notMediaType], { status: 400 });
  }
}
