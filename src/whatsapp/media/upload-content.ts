// Defines the input of an upload: the file of a media message and the other fields of the message.
import type { AnyMediaMessageContent } from '../baileys/types.ts';

/** Content for prepareMedia() of Baileys. It also copies these fields, although its own type does not declare them. */
export type UploadContent = AnyMediaMessageContent & {
  waveform?: Uint8Array;
  seconds?: number;
  title?: string;
  backgroundArgb?: number;
};
