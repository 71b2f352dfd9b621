// Sends a voice note (interface §4.3).
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events.ts';
import type { Media } from '../media/media.ts';
import { toVoice } from '../media/voice.ts';
import { resolve } from '../recipient.ts';
import type { Session } from '../session.ts';
import { type SendOptions, send } from './send.ts';

export interface AudioInput {
  number: string;
  /** `audio`: address, base64 or data URL. */
  audioMessage: { audio: string };
  options?: SendOptions & {
    /** False sends the file as it is. */
    encoding?: boolean;
  };
}

/** Resolves with the recorded message; errors as send(), Media.fetch(), toVoice() and Media.upload(). */
export async function sendAudio(session: Session, media: Media, input: AudioInput): Promise<Message> {
  const { number, audioMessage, options } = input;
  // Nothing is fetched for somebody who cannot get it.
  await resolve(session, number);
  const voice = await toVoice(await media.fetch(audioMessage.audio), options?.encoding ?? true);
  const { bytes, mimetype, seconds, waveform } = voice;
  const uploaded = await media.upload(session, { audio: bytes, ptt: true, mimetype, seconds, waveform });
  const content = uploaded.audioMessage;
  if (!content) throw new GatewayError('INTERNAL', 'Internal Server Error');
  return send(session, {
    number,
    options,
    presence: 'recording',
    content: (contextInfo) => ({ audioMessage: { ...content, ...(contextInfo ? { contextInfo } : {}) } }),
  });
}
