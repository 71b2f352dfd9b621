// Sends a voice note.
import type { Message } from '../../events/events.ts';
import { toViewOnce, viewOnceMessageType } from '../content/view-once.ts';
import type { Media } from '../media/media.ts';
import { assertRecipientAllowed } from '../outbound/new-chat-limit.ts';
import { send } from '../outbound/send.ts';
import { runPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';
import { type ViewOnceOptions, withContext } from './media.ts';

export interface AudioInput {
  /** Phone number, user name, or JID of a person, a group or a channel. */
  number: string;
  /** `audio`: URL, base64, data URL, or reference to an upload (`upload:…`). */
  audioMessage: { audio: string };
  options?: ViewOnceOptions & {
    /** False sends the file without converting it to a voice note. Default: true. */
    encoding?: boolean;
  };
}

/**
 * Resolves with the sent message. Throws the errors of send(), Media.withFile(), Media.toVoice() and Media.upload().
 */
export async function sendAudio(session: Session, media: Media, input: AudioInput): Promise<Message> {
  const { number, audioMessage, options } = input;
  const kind = options?.viewOnce ? viewOnceMessageType('audio') : 'audioMessage';
  const uploaded = await runPreparation(session, kind, async () => {
    // Refuses a forbidden recipient before the file is downloaded.
    await assertRecipientAllowed(session, number);
    return media.withFile(session.instanceId, audioMessage.audio, async (file) => {
      const { bytes, ...metadata } = await media.toVoice(session.instanceId, file, {
        encode: options?.encoding ?? true,
      });
      // `ptt` (push to talk) marks the audio as a voice note. `number` decides on the encryption: files for channels
      // are not encrypted.
      return media.upload(session, { audio: bytes, ptt: true, ...metadata }, number);
    });
  });
  return send(session, {
    number,
    options,
    kind,
    presence: 'recording',
    content: (contextInfo) => {
      const content = withContext(uploaded, contextInfo);
      return options?.viewOnce ? toViewOnce(content) : content;
    },
  });
}
