// Encrypts a file and uploads it to the platform's media host → the content that names it. Temporary files are Baileys' and end with the call.
import type { Agent } from 'node:https';
import { GatewayError } from '../../errors.ts';
import { createBaileysLog } from '../baileys/logger.ts';
import { createUpload, DEFAULT_CONNECTION_CONFIG, prepareMedia } from '../baileys/media-transfer.ts';
import type { proto } from '../baileys/proto.ts';
import { childOf, childrenOf } from '../baileys/stanza.ts';
import { queryPlatform } from '../query.ts';
import type { Session } from '../session.ts';
import { uploadForChannel } from './channel-upload.ts';
import type { UploadContent } from './upload-content.ts';

type Connection = Awaited<ReturnType<Parameters<typeof createUpload>[1]>>;

const UPLOAD_TIMEOUT = 30_000;

/**
 * What rc14 keeps of the media host in a socket stays broken once a query for it failed: every later upload fails with the same
 * error. So it is asked for and kept here.
 */
const connections = new WeakMap<Session, Connection>();

/** Of sessions that have a proxy: what their uploads go through. */
const agents = new WeakMap<Session, Agent>();

/** Files of this session go through `agent`. */
export const uploadThrough = (session: Session, agent: Agent): void => void agents.set(session, agent);

/** The platform's media hosts, asked for when what is known is too old or `forced`. Throws as ask(). */
export async function connectionOf(session: Session, forced: boolean): Promise<Connection> {
  const known = connections.get(session);
  if (known && !forced && Date.now() < known.fetchDate.getTime() + known.ttl * 1000) return known;
  const answer = await queryPlatform(session, {
    tag: 'iq',
    attrs: { type: 'set', xmlns: 'w:m', to: 's.whatsapp.net' },
    content: [{ tag: 'media_conn', attrs: {} }],
  });
  const node = childOf(answer, 'media_conn');
  const connection = {
    hosts: childrenOf(node, 'host').map(({ attrs }) => ({
      hostname: attrs.hostname ?? '',
      maxContentLengthBytes: Number(attrs.maxContentLengthBytes),
    })),
    auth: node?.attrs.auth ?? '',
    ttl: Number(node?.attrs.ttl ?? 0),
    fetchDate: new Date(),
  };
  connections.set(session, connection);
  return connection;
}

/**
 * Uploads `media.image`, `.audio`, `.sticker` …, which must be bytes. Throws, always `certain` that nothing was sent: INSTANCE_NOT_OPEN
 * when the session ended meanwhile, MEDIA_UPLOAD_FAILED, PLATFORM_TIMEOUT. `isPublic`: for a channel, not encrypted.
 */
export async function upload(
  session: Session,
  media: UploadContent,
  { agent, isPublic = false }: { agent?: Agent | undefined; isPublic?: boolean } = {},
): Promise<proto.IMessage> {
  const logger = createBaileysLog(session.log, 'error');
  const config = {
    ...DEFAULT_CONNECTION_CONFIG,
    fetchAgent: agents.get(session) ?? agent,
    customUploadHosts: [],
    logger,
  };
  const hosts = (forced: boolean) => connectionOf(session, forced);
  // Of a sound without a length Baileys would write a copy that is not encrypted, and parse it on the event loop.
  const content: UploadContent = 'audio' in media ? { ...media, seconds: media.seconds ?? 0 } : media;
  try {
    if (isPublic) return await uploadForChannel(content, { hosts, agent: config.fetchAgent, timeout: UPLOAD_TIMEOUT });
    return await prepareMedia(content, {
      logger,
      upload: createUpload(config, hosts),
      mediaUploadTimeoutMs: UPLOAD_TIMEOUT,
    });
  } catch (cause) {
    if (session.ended.aborted)
      throw new GatewayError('INSTANCE_NOT_OPEN', ['Error: Connection Closed'], { certain: true, cause });
    if (cause instanceof GatewayError && cause.code === 'PLATFORM_TIMEOUT')
      throw new GatewayError(cause.code, cause.body, { certain: true, cause });
    throw new GatewayError('MEDIA_UPLOAD_FAILED', 'the file could not be uploaded to the platform; nothing was sent', {
      certain: true,
      cause,
    });
  }
}
