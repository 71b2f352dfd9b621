// Encrypts a file, uploads it to WhatsApp's media host, and returns the content that references it.

import type { Agent } from 'node:https';
import { GatewayError } from '../../errors.ts';
import { createBaileysLog } from '../baileys/logger.ts';
import { createUpload, DEFAULT_CONNECTION_CONFIG, prepareMedia } from '../baileys/media-transfer.ts';
import type { proto } from '../baileys/proto.ts';
import { childOf, childrenOf } from '../baileys/stanza.ts';
import { notOpenError, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import type { MediaConnection } from '../session-state.ts';
import { uploadForChannel } from './channel-upload.ts';
import type { UploadContent } from './upload-content.ts';

const UPLOAD_TIMEOUT = 30_000;

/**
 * Returns WhatsApp's media hosts and upload token; queries WhatsApp when the known answer is expired or `forced`.
 * Throws as queryWhatsApp(). Baileys rc14 keeps a rejected query in the socket, so that every later upload fails with
 * the same error; therefore the session keeps the answer.
 */
export async function fetchMediaConnection(session: Session, forced: boolean): Promise<MediaConnection> {
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
 * Uploads `media.image`, `.audio`, `.sticker` …, which must be a Buffer. Throws INSTANCE_NOT_OPEN when the session has
 * ended, MEDIA_UPLOAD_FAILED and PLATFORM_TIMEOUT, always certain that nothing was sent. `isPublic`: unencrypted, for a
 * channel.
 */
export async function uploadMedia(
  session: Session,
  media: UploadContent,
  { agent, isPublic = false }: { agent?: Agent | undefined; isPublic?: boolean } = {},
): Promise<proto.IMessage> {
  const logger = createBaileysLog(session.log, 'error');
  const config = {
    ...DEFAULT_CONNECTION_CONFIG,
    fetchAgent: session.state.mediaAgent ?? agent,
    customUploadHosts: [],
    logger,
  };
  const fetchHosts = (forced: boolean) => fetchMediaConnection(session, forced);
  // Without a duration, Baileys would write an unencrypted copy and parse it in the event loop.
  const content: UploadContent = 'audio' in media ? { ...media, seconds: media.seconds ?? 0 } : media;
  try {
    if (isPublic)
      return await uploadForChannel(content, { fetchHosts, agent: config.fetchAgent, timeout: UPLOAD_TIMEOUT });
    return await prepareMedia(content, {
      logger,
      upload: createUpload(config, fetchHosts),
      mediaUploadTimeoutMs: UPLOAD_TIMEOUT,
    });
  } catch (cause) {
    if (session.ended.aborted) throw notOpenError(cause);
    if (cause instanceof GatewayError && cause.code === 'PLATFORM_TIMEOUT')
      throw new GatewayError(cause.code, cause.body, { certain: true, cause });
    throw new GatewayError('MEDIA_UPLOAD_FAILED', 'the file could not be uploaded to the platform; nothing was sent', {
      certain: true,
      cause,
    });
  }
}
