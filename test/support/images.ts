// An image decoder for the tests of one file. Its processes end after the tests.
import { afterAll } from 'vitest';
import {
  createImageDecoder,
  type ImageDecoder,
  type ImageDecoderOptions,
} from '../../src/whatsapp/media/image-decoder.ts';
import { silent } from './session-fakes.ts';

/** Creates a decoder and closes it after all tests of the file. */
export function decoderForTests(options: Partial<ImageDecoderOptions> = {}): ImageDecoder {
  const decoder = createImageDecoder({ log: silent, ...options });
  afterAll(() => decoder.close());
  return decoder;
}

/** A decoder for code that decodes no image. It starts no process. */
export const noImages: ImageDecoder = { run: async () => ({ outcome: 'unreadable' }), close: () => undefined };
