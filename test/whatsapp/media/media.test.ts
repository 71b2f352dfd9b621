import { describe, expect, it } from 'vitest';
import { createMedia } from '../../../src/whatsapp/media/media.ts';
import type { Download } from '../../../src/whatsapp/media/source.ts';
import { noImages } from '../../support/images.ts';
import { silent } from '../../support/session-fakes.ts';

const file: Download = { status: 200, body: Buffer.from('file'), isOversize: false };

describe('Media', () => {
  it('Media.withFile() does not delay other instances when URLs of one never answer', async () => {
    const answers: (() => void)[] = [];
    const media = createMedia({
      endpoint: { network: 'sandbox' },
      ffmpeg: async () => undefined,
      log: silent,
      images: noImages,
      get: (url) =>
        url.endsWith('/slow') ? new Promise((resolve) => answers.push(() => resolve(file))) : Promise.resolve(file),
      maxBytes: 1024,
      timeout: 1_000,
    });
    const use = (owner: string, path: string) =>
      media.withFile(owner, `https://site.example/${path}`, async (bytes) => String(bytes));
    const flood = Array.from({ length: 212 }, () => use('a', 'slow'));
    await expect(use('a', 'slow')).rejects.toMatchObject({
      code: 'OVERLOADED',
      status: 503,
      certain: true,
      retryAfter: 5,
    });
    expect(await use('b', 'quick')).toBe('file');
    expect(answers, 'concurrent requests of one instance').toHaveLength(12);
    const all = Promise.all(flood);
    let isDone = false;
    void all.then(() => {
      isDone = true;
    });
    while (!isDone) {
      for (const answer of answers.splice(0)) answer();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await all).toHaveLength(212);
  });
});
