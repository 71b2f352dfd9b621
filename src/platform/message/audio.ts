// Sends a voice note (interface §4.3).
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events.ts';
import type { Media } from '../media/media.ts';
import { resolve } from '../recipient.ts';
import type { Session } from '../session.ts';
import { type SendOptions, send } from './send.ts';
import { refuseStranger } from './stranger.ts';

export interface AudioInput {
  number: string;
  /** `audio`: address, base64, data URL or an upload. */
  audioMessage: { audio: string };
  options?: SendOptions & {
    /** False sends the file as it is. */
    encoding?: boolean;
  };
}

/** Resolves with the recorded message; errors as send(), Media.use(), Media.voice() and Media.upload(). */
export async function sendAudio(session: Session, media: Media, input: AudioInput): Promise<Message> {
  const { number, audioMessage, options } = input;
  // Nothing is fetched for somebody who cannot get it.
  await refuseStranger(session, await resolve(session, number));
  const uploaded = await media.use(audioMessage.audio, async (file) => {
    const { bytes, ...facts } = await media.voice(file, options?.encoding ?? true);
    return media.upload(session, { audio: bytes, ptt: true, ...facts });
  });
  const content = uploaded.audioMessage;
  if (!content) throw new GatewayError('INTERNAL', 'Internal Server Error');
  return send(session, {
    number,
    options,
    presence: 'recording',
    content: (contextInfo) => ({ audioMessage: { ...content, ...(contextInfo ? { contextInfo } : {}) } }),
  });
}
