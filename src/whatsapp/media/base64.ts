// Returns the file of a message as base64, for clients that expect it in a JSON response. GET /media streams files
// instead.

import { GatewayError } from '../../errors.ts';
import type { JsonObject, MessageKey } from '../../events/events.ts';
import { COMPATIBILITY_PHRASES } from '../compatibility-phrases.ts';
import type { Session } from '../session.ts';
import { type AttachedFile, attachedFileOf, fileIn } from './attached-file.ts';
import { fileNameOf } from './file-headers.ts';
import { type MessageFiles, readAll } from './message-files.ts';
import type { ToMp4 } from './mp4.ts';

export interface Base64Input {
  message: {
    key: { id: string; remoteJid?: string; fromMe?: boolean; participant?: string };
    /** Content of a message that is not stored. */
    message?: JsonObject;
  };
  convertToMp4?: boolean;
}

export interface MediaBase64 {
  mediaType: string;
  fileName: string;
  caption?: string;
  size: { fileLength: string; height?: number; width?: number };
  mimetype: string;
  base64: string;
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

/** Throws MESSAGE_NOT_FOUND and MESSAGE_WITHOUT_MEDIA (both with status 400), and as opening a file and ToMp4. */
export async function readAsBase64(
  deps: Base64Deps,
  { message, convertToMp4 = false }: Base64Input,
): Promise<MediaBase64> {
  const found = await findFile(deps, message);
  const { instanceId, session, signal, maxBytes } = deps;
  const bytes = await readAll(await deps.files.open({ instanceId, ...found, session, signal, maxBytes }));
  const { kind, file = {} } = fileIn(found.content) ?? { kind: found.attached.kind };
  const converted = convertToMp4 && kind === 'audio' ? await deps.toMp4(bytes) : undefined;
  const attached = converted ? { mimetype: 'audio/mp4', fileName: undefined } : found.attached;
  const { caption, height, width } = file;
  return {
    mediaType: `${kind}Message`,
    fileName: fileNameOf(attached, found.key.id),
    ...(typeof caption === 'string' && caption !== '' ? { caption } : {}),
    size: {
      fileLength: String((converted ?? bytes).length),
      ...(Number.isInteger(height) ? { height: Number(height) } : {}),
      ...(Number.isInteger(width) ? { width: Number(width) } : {}),
    },
    mimetype: attached.mimetype ?? 'application/octet-stream',
    base64: (converted ?? bytes).toString('base64'),
    buffer: null,
  };
}

interface Found {
  key: MessageKey;
  attached: AttachedFile;
  content: JsonObject;
}

/** Finds the file. The stored message wins over the content in the request. */
async function findFile(
  { instanceId, files }: Base64Deps,
  { key, message: content }: Base64Input['message'],
): Promise<Found> {
  try {
    return await files.find(instanceId, { id: key.id, remoteJid: key.remoteJid || undefined });
  } catch (error) {
    const isAbsent = error instanceof GatewayError && error.code === 'MESSAGE_NOT_FOUND';
    const attached = isAbsent && content && attachedFileOf(content);
    if (attached) {
      const { id, remoteJid = '', fromMe = false, participant } = key;
      return { key: { remoteJid, fromMe, id, ...(participant ? { participant } : {}) }, attached, content };
    }
    if (isAbsent && !content) throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { status: 400 });
    const isOther = isAbsent || (error instanceof GatewayError && error.code === 'MESSAGE_WITHOUT_MEDIA');
    if (!isOther) throw error;
    throw new GatewayError('MESSAGE_WITHOUT_MEDIA', [COMPATIBILITY_PHRASES.notMediaType], { status: 400 });
  }
}
