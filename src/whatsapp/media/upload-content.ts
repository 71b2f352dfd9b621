// Defines the input of an upload: the file of a media message and the other fields of the message.
import type { AnyMediaMessageContent } from '../baileys/types.ts';

/**
 * Content for prepareWAMessageMedia() of Baileys. That function also copies the additional fields below, although the
 * type of Baileys does not declare them.
 */
export type UploadContent = AnyMediaMessageContent & {
  waveform?: Uint8Array;
  seconds?: number;
  title?: string;
  backgroundArgb?: number;
};
