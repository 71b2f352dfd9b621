// Returns the file of a message as base64, for API clients that expect the file in a JSON response. (GET /media streams
// it instead.) Decision D-097.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import type { JsonObject, MessageKey } from '../../events/events.ts';
import type { Session } from '../session.ts';
import { type AttachedFile, attachedFileOf, fileFieldsOf } from './attached-file.ts';
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

export interface MediaBase64 {
  mediaType: string;
  fileName: string;
  caption?: string;
  size: { fileLength: string; height?: number; width?: number };
  mimetype: string;
  base64: string;
  /** Always null. Clients of other WhatsApp gateways expect the field. */
  buffer: null;
}

export interface Base64Deps {
  instanceId: string;
  files: Pick<MessageFiles, 'find' | 'open'>;
  toMp4: (file: Buffer) => ReturnType<ToMp4>;
  session: () => Session;
  signal: AbortSignal;
  /** Maximum file size, bytes. */
  maxBytes: number;
}

/**
 * Returns the file of a message with its metadata. Throws MESSAGE_NOT_FOUND and MESSAGE_WITHOUT_MEDIA, both with status
 * 400, and the errors of MessageFiles.open() and of ToMp4.
 */
export async function readAsBase64(
  deps: Base64Deps,
  { message, convertToMp4 = false }: Base64Input,
): Promise<MediaBase64> {
  const { key, attached, content } = await findFile(deps, message);
  const { instanceId, session, signal, maxBytes } = deps;
  const original = await readAll(await deps.files.open({ instanceId, key, attached, session, signal, maxBytes }));
  const { kind } = attached;
  const mp4 = convertToMp4 && kind === 'audio' ? await deps.toMp4(original) : undefined;
  const bytes = mp4 ?? original;
  const { mimetype, fileName } = mp4 ? { mimetype: 'audio/mp4', fileName: undefined } : attached;
  const { caption, height, width } = fileFieldsOf(content)?.file ?? {};
  return {
    mediaType: `${kind}Message`,
    fileName: fileNameOf({ mimetype, fileName }, key.id),
    ...(typeof caption === 'string' && caption !== '' ? { caption } : {}),
    size: {
      fileLength: String(bytes.length),
      ...(Number.isInteger(height) ? { height: Number(height) } : {}),
      ...(Number.isInteger(width) ? { width: Number(width) } : {}),
    },
    mimetype: mimetype ?? 'application/octet-stream',
    base64: bytes.toString('base64'),
    buffer: null,
  };
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
