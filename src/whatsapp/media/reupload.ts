// Asks the phone to upload a file again when the media host no longer has it. The implementation in Baileys is not
// used, because it has no timeout, emits an update event for the message, and leaks a listener. Decision D-064.

import { GatewayError, hasCode } from '../../errors.ts';
import type { MessageKey } from '../../events/events.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { isConnectionClosed } from '../baileys/errors.ts';
import { decryptMediaRetryData, encryptMediaRetryRequest, proto } from '../baileys/proto.ts';
import type { SocketEvents, WireMessageKey } from '../baileys/types.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';

type Answer = SocketEvents['messages.media-update'][number];

const { ResultType } = proto.MediaRetryNotification;

export const mediaGoneError = (cause?: unknown) =>
  new GatewayError('MEDIA_GONE', ['The file is no longer on the platform and the phone does not have it'], {
    cause,
  });
const reuploadFailedError = (cause?: unknown) =>
  new GatewayError('MEDIA_HOST_FAILED', 'The phone could not upload the file again.', { cause });

/**
 * Asks the phone to upload the file of a message again. Returns the new path and query of the file on the media host.
 * Throws MEDIA_GONE when the phone does not have the file, MEDIA_HOST_FAILED when the phone cannot upload it,
 * PLATFORM_TIMEOUT when the phone does not answer within `timeout` ms, and INSTANCE_NOT_OPEN when the connection is
 * closed or the session ends.
 */
export async function requestReupload(
  session: Session,
  key: MessageKey,
  mediaKey: Buffer,
  timeout: number,
): Promise<string> {
  const deadline = performance.now() + timeout;
  let failure: unknown;
  // A chat can have two addresses: a phone number and a LID (id that hides the number). The phone finds the message
  // only by the address with which the message was sent. For the wrong address, it reports the file as missing.
  for (const variant of keyVariantsOf(key)) {
    const answer = await requestUpload(session, variant, mediaKey, deadline - performance.now());
    try {
      return parseAnswer(answer, mediaKey);
    } catch (error) {
      failure = error;
      if (!hasCode(error, 'MEDIA_GONE')) break;
    }
  }
  throw failure;
}

/**
 * Returns the key with its addresses `remoteJid` and `participant`. If the key has alternate addresses (`…Alt`), also
 * returns the key with these.
 */
function keyVariantsOf({
  id,
  fromMe,
  remoteJid,
  participant,
  remoteJidAlt,
  participantAlt,
}: MessageKey): WireMessageKey[] {
  const variants = [{ id, fromMe, remoteJid, participant }];
  if (remoteJidAlt !== undefined || participantAlt !== undefined)
    variants.push({ id, fromMe, remoteJid: remoteJidAlt ?? remoteJid, participant: participantAlt ?? participant });
  return variants;
}

/** Sends one request to the phone, and resolves with the phone's answer for the message id. */
async function requestUpload(
  session: Session,
  key: WireMessageKey,
  mediaKey: Buffer,
  timeout: number,
): Promise<Answer> {
  const me = session.me();
  if (!me || session.ended.aborted) throw notOpenError(session);
  const { promise: answer, resolve } = Promise.withResolvers<Answer>();
  const onAnswers = (answers: Answer[]) => {
    const matching = answers.find((answer) => answer.key.id === key.id);
    if (matching) resolve(matching);
  };
  const { ev } = session.socket;
  ev.on('messages.media-update', onAnswers);
  try {
    const sent = session.socket.sendNode(encryptMediaRetryRequest(key, mediaKey, me.jid)).catch((error: unknown) => {
      throw isConnectionClosed(error) ? notOpenError(session, error) : error;
    });
    return await withDeadline(
      sent.then(() => answer),
      {
        timeoutMs: timeout,
        toTimeoutError: () => new GatewayError('PLATFORM_TIMEOUT', 'The phone did not upload the file again in time.'),
        signal: session.ended,
        toAbortError: () => notOpenError(session),
      },
    );
  } finally {
    ev.off('messages.media-update', onAnswers);
  }
}

/** Returns the file's new path, or throws MEDIA_GONE or MEDIA_HOST_FAILED. */
function parseAnswer({ key, media, error }: Answer, mediaKey: Buffer): string {
  if (!media) {
    const code = Number(Reflect.get(Object(error?.data), 'code'));
    throw code === ResultType.NOT_FOUND ? mediaGoneError(error) : reuploadFailedError(error);
  }
  let notification: proto.MediaRetryNotification;
  try {
    notification = decryptMediaRetryData(media, mediaKey, key.id ?? '');
  } catch (cause) {
    throw reuploadFailedError(cause);
  }
  if (notification.result === ResultType.NOT_FOUND) throw mediaGoneError();
  const { result, stanzaId, directPath } = notification;
  if (result !== ResultType.SUCCESS || stanzaId !== key.id || !directPath?.startsWith('/')) throw reuploadFailedError();
  return directPath;
}
