import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { toPhoto } from '../../../src/whatsapp/media/photo.ts';
import { hugePng } from '../../support/hostile-images.ts';
import { decoderForTests } from '../../support/images.ts';

const decoder = decoderForTests();
const picture = (width = 400, height = 200) => sharp({ create: { width, height, channels: 4, background: '#f00' } });

describe('toPhoto', () => {
  it.each([
    'jpeg',
    'png',
  ] as const)('toPhoto() keeps a picture that is %s and adds size and thumbnail', async (format) => {
    const file = await picture().toFormat(format).toBuffer();
    const { bytes, mimetype, width, height, thumbnail } = await toPhoto(decoder, 'a', file);
    expect(bytes.equals(file)).toBe(true);
    expect({ mimetype, width, height }).toEqual({ mimetype: `image/${format}`, width: 400, height: 200 });
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'jpeg', width: 100, height: 50 });
    expect(thumbnail.length).toBeLessThan(5_000);
  });

  it.each([
    'webp',
    'gif',
    'tiff',
    'avif',
  ] as const)('toPhoto() converts a picture that is %s to JPEG', async (format) => {
    const { bytes, mimetype } = await toPhoto(decoder, 'a', await picture().toFormat(format).toBuffer());
    expect(mimetype).toBe('image/jpeg');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 400, height: 200 });
  });

  it('toPhoto() returns the upright size of a rotated picture', async () => {
    const rotated = await picture().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { width, height, thumbnail } = await toPhoto(decoder, 'a', rotated);
    expect({ width, height }).toEqual({ width: 200, height: 400 });
    expect(await sharp(thumbnail).metadata()).toMatchObject({ width: 50, height: 100 });
  });

  it('toPhoto() rejects other data, a truncated image, an SVG and a decompression bomb', async () => {
    const whole = await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: '#00f',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    const bomb = hugePng(12_000, 12_000);
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const file of [Buffer.from('hello'), Buffer.alloc(0), whole.subarray(0, 5_000), drawing, bomb])
      await expect(toPhoto(decoder, 'a', file)).rejects.toMatchObject({ code: 'MEDIA_INVALID', certain: true });
  });
});
