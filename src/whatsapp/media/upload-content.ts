// The file and the fields of a media message, as an upload takes them.
import type { AnyMediaMessageContent } from '../baileys/types.ts';

/**
 * The content that Baileys prepares. Baileys copies every field of the message, also the fields that its type leaves
 * out.
 */
export type UploadContent = AnyMediaMessageContent & {
  waveform?: Uint8Array;
  seconds?: number;
  title?: string;
  backgroundArgb?: number;
};
