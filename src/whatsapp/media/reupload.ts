// Asks the phone to upload a file again that the media host no longer has. The implementation in Baileys has no
// timeout, reports the message as changed, and leaks a listener.

import { GatewayError } from '../../errors.ts';
import type { MessageKey } from '../../events/events.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { decryptMediaRetryData, encryptMediaRetryRequest, proto } from '../baileys/proto.ts';
import type { SocketEvents, WireMessageKey } from '../baileys/types.ts';
import { COMPATIBILITY_PHRASES } from '../compatibility-phrases.ts';
import type { Session } from '../session.ts';

type Answer = SocketEvents['messages.media-update'][number];

const { ResultType } = proto.MediaRetryNotification;

export const mediaGone = (cause?: unknown) =>
  new GatewayError('MEDIA_GONE', ['The file is no longer on the platform and the phone does not have it'], { cause });
const reuploadFailed = (cause?: unknown) =>
  new GatewayError('MEDIA_HOST_FAILED', 'the phone could not upload the file again', { cause });
const notOpen = () => new GatewayError('INSTANCE_NOT_OPEN', [COMPATIBILITY_PHRASES.connectionClosed]);

/**
 * Returns the new path and query of the message's file on the media host. Throws MEDIA_GONE when the phone does not
 * have the file either, MEDIA_HOST_FAILED when it cannot upload, PLATFORM_TIMEOUT without an answer within `timeout`
 * ms, INSTANCE_NOT_OPEN.
 */
export async function requestReupload(
  session: Session,
  key: MessageKey,
  mediaKey: Buffer,
  timeout: number,
): Promise<string> {
  let failure: unknown;
  // The phone knows the chat by the address of the original message, which can be the number or the LID.
  for (const form of keyVariantsOf(key)) {
    const answer = await requestUpload(session, form, mediaKey, timeout);
    try {
      return parseAnswer(answer, mediaKey);
    } catch (error) {
      failure = error;
      if (!(error instanceof GatewayError && error.code === 'MEDIA_GONE')) break;
    }
  }
  throw failure;
}

function keyVariantsOf({
  id,
  fromMe,
  remoteJid,
  participant,
  remoteJidAlt,
  participantAlt,
}: MessageKey): WireMessageKey[] {
  const forms = [{ id, fromMe, remoteJid, participant }];
  if (remoteJidAlt !== undefined || participantAlt !== undefined)
    forms.push({ id, fromMe, remoteJid: remoteJidAlt ?? remoteJid, participant: participantAlt ?? participant });
  return forms;
}

async function requestUpload(
  session: Session,
  key: WireMessageKey,
  mediaKey: Buffer,
  timeout: number,
): Promise<Answer> {
  const me = session.me();
  if (!me || session.ended.aborted) throw notOpen();
  const { promise: answer, resolve } = Promise.withResolvers<Answer>();
  const listen = (answers: Answer[]) => {
    const own = answers.find((answer) => answer.key.id === key.id);
    if (own) resolve(own);
  };
  const { ev } = session.socket;
  ev.on('messages.media-update', listen);
  try {
    const sent = session.socket.sendNode(encryptMediaRetryRequest(key, mediaKey, me.jid));
    return await withDeadline(
      sent.then(() => answer),
      {
        timeoutMs: timeout,
        toTimeoutError: () => new GatewayError('PLATFORM_TIMEOUT', 'the phone did not upload the file again in time'),
        signal: session.ended,
        toAbortError: notOpen,
      },
    );
  } finally {
    ev.off('messages.media-update', listen);
  }
}

function parseAnswer({ key, media, error }: Answer, mediaKey: Buffer): string {
  if (!media)
    throw Number(Reflect.get(Object(error?.data), 'code')) === ResultType.NOT_FOUND
      ? mediaGone(error)
      : reuploadFailed(error);
  let notification: proto.MediaRetryNotification;
  try {
    notification = decryptMediaRetryData(media, mediaKey, key.id ?? '');
  } catch (cause) {
    throw reuploadFailed(cause);
  }
  if (notification.result === ResultType.NOT_FOUND) throw mediaGone();
  if (
    notification.result !== ResultType.SUCCESS ||
    notification.stanzaId !== key.id ||
    !notification.directPath?.startsWith('/')
  )
    throw reuploadFailed();
  return notification.directPath;
}
