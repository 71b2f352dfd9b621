// The image decoder for tests of one file: its processes end with the tests.
import { afterAll } from 'vitest';
import {
  createImageDecoder,
  type ImageDecoder,
  type ImageDecoderOptions,
} from '../../src/whatsapp/media/image-decoder.ts';
import { silent } from '../whatsapp/fakes.ts';

/** A decoder that is closed after all tests of the file. */
export function decoderForTests(options: Partial<ImageDecoderOptions> = {}): ImageDecoder {
  const decoder = createImageDecoder({ log: silent, ...options });
  afterAll(() => decoder.close());
  return decoder;
}

/** For what never decodes: starts nothing. */
export const noImages: ImageDecoder = { run: async () => ({ outcome: 'unreadable' }), close: () => undefined };
