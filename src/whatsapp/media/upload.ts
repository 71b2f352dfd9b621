// Uploads a file to WhatsApp's media host, encrypted unless it is for a channel, and returns the message content that
// references the file.

import type { Agent } from 'node:https';
import { GatewayError, hasCode } from '../../errors.ts';
import { createBaileysLog } from '../baileys/logger.ts';
import { createUploader, DEFAULT_CONNECTION_CONFIG, prepareMedia } from '../baileys/media-transfer.ts';
import type { proto } from '../baileys/proto.ts';
import { childOf, childrenOf } from '../baileys/stanza.ts';
import { notOpenError, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import type { MediaConnection } from '../session-state.ts';
import { uploadForChannel } from './channel-upload.ts';
import { smallFileOf, uploadEncrypted } from './encrypted-upload.ts';
import type { UploadContent } from './upload-content.ts';

/** Timeout for an upload to one host. */
const UPLOAD_TIMEOUT_MS = 30_000;

/**
 * Returns WhatsApp's media hosts and the upload token. Queries WhatsApp when the cached answer has expired or with
 * `forced`. Throws the errors of queryWhatsApp(). The cache in the socket of Baileys rc14 is not used, because it also
 * keeps a rejected query: every later upload would fail with the same error.
 */
export async function fetchMediaConnection(
  session: Session,
  { forced = false }: { forced?: boolean } = {},
): Promise<MediaConnection> {
  const { mediaConnection: current } = session.state;
  if (current && !forced && Date.now() < current.fetchDate.getTime() + current.ttl * 1000) return current;
  const answer = await queryWhatsApp(session, {
    tag: 'iq',
    attrs: { type: 'set', xmlns: 'w:m', to: 's.whatsapp.net' },
    content: [{ tag: 'media_conn', attrs: {} }],
  });
  const node = childOf(answer, 'media_conn');
  const connection: MediaConnection = {
    hosts: childrenOf(node, 'host').map(({ attrs }) => ({
      hostname: attrs.hostname ?? '',
      maxContentLengthBytes: Number(attrs.maxContentLengthBytes),
    })),
    auth: node?.attrs.auth ?? '',
    ttl: Number(node?.attrs.ttl ?? 0),
    fetchDate: new Date(),
  };
  session.state.mediaConnection = connection;
  return connection;
}

/**
 * Uploads the file in `media` (the field `image`, `audio`, `sticker`, …), which must be a Buffer. `agent` connects to
 * the media host when the session has no proxy. With `forChannel`, the file is not encrypted. Throws
 * MEDIA_UPLOAD_FAILED, PLATFORM_TIMEOUT, and INSTANCE_NOT_OPEN when the session has ended.
 */
export async function uploadMedia(
  session: Session,
  media: UploadContent,
  { agent, forChannel = false }: { agent?: Agent | undefined; forChannel?: boolean } = {},
): Promise<proto.IMessage> {
  const fetchAgent = session.state.mediaAgent ?? agent;
  const fetchHosts = (forced: boolean) => fetchMediaConnection(session, { forced });
  const deps = { fetchHosts, agent: fetchAgent, timeout: UPLOAD_TIMEOUT_MS };
  // Without a duration, Baileys would write an unencrypted copy of the file and parse it in the event loop.
  const content: UploadContent = 'audio' in media ? { ...media, seconds: media.seconds ?? 0 } : media;
  try {
    if (forChannel) return await uploadForChannel(content, deps);
    // Baileys writes the encrypted file to the disk, so small files are encrypted in memory without Baileys.
    const smallFile = smallFileOf(content);
    if (smallFile) return await uploadEncrypted(smallFile, deps);
    const logger = createBaileysLog(session.log, 'error');
    const config = { ...DEFAULT_CONNECTION_CONFIG, fetchAgent, customUploadHosts: [], logger };
    return await prepareMedia(content, {
      logger,
      upload: createUploader(config, fetchHosts),
      mediaUploadTimeoutMs: UPLOAD_TIMEOUT_MS,
    });
  } catch (cause) {
    if (session.ended.aborted) throw notOpenError(session, cause);
    // `certain`: the message that refers to the file was not sent.
    if (hasCode(cause, 'PLATFORM_TIMEOUT'))
      throw new GatewayError(cause.code, cause.responseMessage, { certain: true, cause });
    throw new GatewayError('MEDIA_UPLOAD_FAILED', 'The file could not be uploaded to the platform. Nothing was sent.', {
      certain: true,
      cause,
    });
  }
}
