// Sends a video note (`ptv`), which phones show as a circle and play inside the chat. Decision D-086.
import type { Message } from '../../events/events.ts';
import type { Media } from '../media/media.ts';
import { assertRecipientAllowed } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { runPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';
import { prepareMedia, withContext } from './media.ts';

export interface PtvInput {
  number: string;
  /** `video`: URL, base64, data URL, or reference to an upload (`upload:…`). */
  ptvMessage: { video: string };
  options?: SendOptions;
}

/** Resolves with the sent message. Throws the errors of sendMedia(). */
export async function sendPtv(session: Session, media: Media, input: PtvInput): Promise<Message> {
  const { number, ptvMessage, options } = input;
  const uploaded = await runPreparation(session, 'ptvMessage', async () => {
    await assertRecipientAllowed(session, number, { channels: false });
    return media.withFile(session.instanceId, ptvMessage.video, async (file) =>
      media.upload(session, { ...(await prepareMedia(session, media, file, { mediatype: 'video' })), ptv: true }),
    );
  });
  return send(session, {
    number,
    options,
    kind: 'ptvMessage',
    presence: 'recording',
    content: (contextInfo) => withContext(uploaded, contextInfo),
  });
}
