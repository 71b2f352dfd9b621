// Converts an image to a sticker and sends it.
import type { Message } from '../../events/events.ts';
import type { Media } from '../media/media.ts';
import { toSticker } from '../media/sticker.ts';
import { STICKER_SIDE } from '../media/sticker-limits.ts';
import { assertRecipientAllowed } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { runPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';
import { withContext } from './media.ts';

export interface StickerInput {
  /** Phone number, user name, or JID of a person, a group or a channel. */
  number: string;
  /** `image`: URL, base64, data URL, or reference to an upload (`upload:…`). */
  stickerMessage: { image: string };
  options?: SendOptions;
}

/** Resolves with the sent message. Throws the errors of send(), Media.withFile(), toSticker() and Media.upload(). */
export async function sendSticker(session: Session, media: Media, input: StickerInput): Promise<Message> {
  const { number, stickerMessage, options } = input;
  const dimensions = { width: STICKER_SIDE, height: STICKER_SIDE };
  const uploaded = await runPreparation(session, 'stickerMessage', async () => {
    // Refuses a forbidden recipient before the image is downloaded.
    await assertRecipientAllowed(session, number);
    return media.withFile(session.instanceId, stickerMessage.image, async (image) => {
      const { bytes, isAnimated } = await toSticker(media.images, session.instanceId, image);
      // `number` decides on the encryption: files for channels are not encrypted.
      return media.upload(session, { sticker: bytes, mimetype: 'image/webp', isAnimated, ...dimensions }, number);
    });
  });
  return send(session, {
    number,
    options,
    kind: 'stickerMessage',
    presence: 'composing',
    content: (contextInfo) => withContext(uploaded, contextInfo),
  });
}
