// Provides the files of stored messages: finds the message, signs links to its file, and opens the file.
import { GatewayError } from '../../errors.ts';
import type { JsonObject, Message, MessageKey } from '../../events/events.ts';
import type { Messages } from '../../storage/storage.ts';
import { type AttachedFile, attachedFileOf } from './attached-file.ts';
import type { OpenDownload, OpenFile } from './download.ts';
import type { SignedLinks } from './signed-link.ts';

export interface FileRequest {
  /** Message id. */
  id: string;
  /** Signature of a verified link. */
  signature?: string | undefined;
  /** The chat, when the id is ambiguous. */
  remoteJid?: string | undefined;
}

export interface MessageFiles {
  /** What a link is worth. */
  verify: SignedLinks['verify'];
  /** Returns path and query of a signed link to the message's file, or undefined when it has none. */
  linkTo(instance: { id: string; name: string }, message: Message): string | undefined;
  /**
   * Finds a message and its file. Several chats can contain the id: a link selects its own message, an id alone the
   * newest one. Throws MESSAGE_NOT_FOUND, MESSAGE_WITHOUT_MEDIA.
   */
  find(
    instanceId: string,
    request: FileRequest,
  ): Promise<{ key: MessageKey; attached: AttachedFile; content: JsonObject }>;
  open: OpenDownload;
  /**
   * Returns a function that reads files of at most `maxBytes` for webhooks. It does not ask phones to upload again, and
   * uses the content of the event for a message that is not stored. The function throws as `find` and `open`.
   */
  fetcher(
    maxBytes: number,
  ): (instanceId: string, key: MessageKey, signal: AbortSignal, posted: JsonObject) => Promise<Buffer>;
}

export interface MessageFilesDeps {
  links: SignedLinks;
  messages: Pick<Messages, 'get' | 'find'>;
  open: OpenDownload;
}

/** Messages with the same id that a link is compared with. */
const MAX_CANDIDATES = 100;

export function createMessageFilesService({ links, messages, open }: MessageFilesDeps): MessageFiles {
  async function findMessage(
    instanceId: string,
    { id, signature, remoteJid }: FileRequest,
  ): Promise<Message | undefined> {
    if (signature === undefined) return (await messages.get(instanceId, id, remoteJid)) ?? undefined;
    const found = await messages.find(instanceId, { id }, { offset: 0, limit: MAX_CANDIDATES });
    const isTarget = ({ key }: Message) => links.isFor(signature, { instanceId, id, chat: key.remoteJid });
    return found.find(({ message }) => isTarget(message))?.message;
  }

  const files: MessageFiles = {
    verify: links.verify,
    open,
    fetcher: (maxBytes) => async (instanceId, key, signal, posted) => {
      const { id, remoteJid } = key;
      const found = await files.find(instanceId, { id, remoteJid }).catch((error: unknown) => {
        const attached = attachedFileOf(posted);
        if (attached && error instanceof GatewayError && error.code === 'MESSAGE_NOT_FOUND')
          return { key, attached, content: posted };
        throw error;
      });
      const file = await open({ instanceId, ...found, signal, maxBytes });
      return readAll(file);
    },
    linkTo({ id: instanceId, name }, { key, message }) {
      if (!attachedFileOf(message)) return undefined;
      return links.sign({ instanceId, id: key.id, chat: key.remoteJid }, name);
    },
    async find(instanceId, request) {
      const message = await findMessage(instanceId, request);
      if (!message) throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found']);
      const attached = attachedFileOf(message.message);
      if (!attached) throw new GatewayError('MESSAGE_WITHOUT_MEDIA', ['The message has no file']);
      return { key: message.key, attached, content: message.message };
    },
  };
  return files;
}

/** Reads a whole file and closes it in every case. */
export async function readAll(file: OpenFile): Promise<Buffer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of file.read()) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}
