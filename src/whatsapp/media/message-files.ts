// Provides the files of stored messages: finds a message, signs links to its file, and opens the file. Decision D-062.
import { GatewayError, hasCode } from '../../errors.ts';
import type { JsonObject, Message, MessageKey } from '../../events/events.ts';
import type { Messages } from '../../storage/storage.ts';
import { type AttachedFile, attachedFileOf } from './attached-file.ts';
import type { DownloadFile } from './download.ts';
import type { OpenFile } from './encrypted-spool.ts';
import type { SignedLinks } from './signed-link.ts';

export interface FileRequest {
  /** Message id. */
  id: string;
  /** Signature of a link that verify() has accepted. */
  signature?: string | undefined;
  /** JID of the chat. Several chats can contain the same id. */
  remoteJid?: string | undefined;
}

export interface MessageFiles {
  /** Checks the signature and expiry of a link. */
  verify: SignedLinks['verify'];
  /** Returns path and query of a signed link to the message's file, or undefined when the message has no file. */
  linkTo(instance: { id: string; name: string }, message: Message): string | undefined;
  /**
   * Finds a message and its file. `content` is the content of the message. When several chats contain the id,
   * `signature` or `remoteJid` selects the message. Without both, the newest message is found. Throws MESSAGE_NOT_FOUND
   * and MESSAGE_WITHOUT_MEDIA.
   */
  find(
    instanceId: string,
    request: FileRequest,
  ): Promise<{ key: MessageKey; attached: AttachedFile; content: JsonObject }>;
  /** Downloads a file. */
  open: DownloadFile;
  /**
   * Creates a function that reads files of at most `maxBytes` for webhooks. The function passes no session to open(),
   * so the phone is never asked to upload a file again. When the message is not stored, the function finds the file in
   * `eventContent`, the message content in the event. It throws the errors of find() and open().
   */
  createFetcher(
    maxBytes: number,
  ): (instanceId: string, key: MessageKey, signal: AbortSignal, eventContent: JsonObject) => Promise<Buffer>;
}

export interface MessageFilesDeps {
  links: SignedLinks;
  messages: Pick<Messages, 'get' | 'find'>;
  open: DownloadFile;
}

/** Maximum number of messages with the same id that are compared with a link. */
const MAX_CANDIDATES = 100;

/** Creates the service from the stored messages, the downloader and the signed links. */
export function createMessageFilesService({ links, messages, open }: MessageFilesDeps): MessageFiles {
  async function findMessage(
    instanceId: string,
    { id, signature, remoteJid }: FileRequest,
  ): Promise<Message | undefined> {
    if (signature === undefined) return (await messages.get(instanceId, id, remoteJid)) ?? undefined;
    const found = await messages.find(instanceId, { id }, { offset: 0, limit: MAX_CANDIDATES });
    const isLinked = ({ key }: Message) => links.isFor(signature, { instanceId, id, chat: key.remoteJid });
    return found.find(({ message }) => isLinked(message))?.message;
  }

  const files: MessageFiles = {
    verify: links.verify,
    open,
    createFetcher: (maxBytes) => async (instanceId, key, signal, eventContent) => {
      const { id, remoteJid } = key;
      const found = await files.find(instanceId, { id, remoteJid }).catch((error: unknown) => {
        const attached = attachedFileOf(eventContent);
        if (attached && hasCode(error, 'MESSAGE_NOT_FOUND')) return { key, attached, content: eventContent };
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

/** Reads a whole file and closes it, also after an error. */
export async function readAll(file: OpenFile): Promise<Buffer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of file.read()) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}
