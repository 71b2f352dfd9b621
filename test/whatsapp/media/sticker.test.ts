import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { toSticker } from '../../../src/whatsapp/media/sticker.ts';
import { hugePng } from '../../support/hostile-images.ts';
import { decoderForTests } from '../../support/images.ts';

const decoder = decoderForTests();
const picture = (width: number, height: number, background = '#f00') =>
  sharp({ create: { width, height, channels: 4, background } });
const metadataOf = (bytes: Buffer) => sharp(bytes, { animated: true }).metadata();

async function frames(...colors: string[]) {
  const images = await Promise.all(colors.map((color) => picture(40, 20, color).png().toBuffer()));
  return sharp(images, { join: { animated: true } });
}

/** Red, green, blue and alpha of a pixel of the first frame. */
async function pixel(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const raw = await sharp(bytes).ensureAlpha().raw().toBuffer();
  return [...raw.subarray((y * 512 + x) * 4, (y * 512 + x) * 4 + 4)];
}

describe('toSticker', () => {
  it.each([
    'png',
    'jpeg',
    'webp',
    'gif',
    'avif',
    'tiff',
  ] as const)('toSticker() converts %s to WebP of 512 × 512 pixels', async (format) => {
    const { bytes, isAnimated } = await toSticker(decoder, 'a', await picture(40, 20).toFormat(format).toBuffer());
    expect(await metadataOf(bytes)).toMatchObject({ format: 'webp', width: 512, height: 512 });
    expect(isAnimated).toBe(false);
    const [red = 0, green = 255] = await pixel(bytes, 256, 256);
    expect(red).toBeGreaterThan(220);
    expect(green).toBeLessThan(40);
    expect((await pixel(bytes, 256, 4))[3], 'the area around the picture is transparent').toBe(0);
  });

  it("toSticker() applies the camera's rotation", async () => {
    const rotated = await picture(40, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { bytes } = await toSticker(decoder, 'a', rotated);
    expect((await pixel(bytes, 256, 4))[3]).toBe(255);
    expect((await pixel(bytes, 4, 256))[3]).toBe(0);
  });

  it.each([
    3, 4, 6,
  ])('toSticker() keeps the order of the frames of an animation with orientation %i', async (orientation) => {
    const image = await frames('#f00', '#0f0', '#00f');
    const file = await image
      .webp({ delay: [100, 200, 300] })
      .withMetadata({ orientation })
      .toBuffer();
    const { bytes, isAnimated } = await toSticker(decoder, 'a', file);
    expect(isAnimated).toBe(true);
    expect(await metadataOf(bytes)).toMatchObject({ pages: 3, pageHeight: 512, delay: [100, 200, 300] });
    const [red = 0] = await pixel(bytes, 256, 256);
    expect(red, 'the first frame').toBeGreaterThan(220);
    expect(await decoder.run('a', 'sticker', file), 'the size of one frame').toMatchObject({ width: 40, height: 20 });
  });

  it.each([
    'gif',
    'webp',
  ] as const)('toSticker() keeps the animation of %s: frames, delays, repetition', async (format) => {
    const image = await frames('#f00', '#0f0', '#00f');
    const file = await image.toFormat(format, { delay: [100, 200, 300] }).toBuffer();
    const { bytes, isAnimated } = await toSticker(decoder, 'a', file);
    expect(isAnimated).toBe(true);
    expect(await decoder.run('a', 'sticker', file), 'the size of one frame').toMatchObject({ width: 40, height: 20 });
    expect(await metadataOf(bytes)).toMatchObject({
      format: 'webp',
      pages: 3,
      pageHeight: 512,
      delay: [100, 200, 300],
      loop: 0,
    });
  });

  it.each([
    ['a text', Buffer.from('hello')],
    ['an empty file', Buffer.alloc(0)],
    ['an SVG picture', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['half a PNG file', 'half'],
    ['a sound', Buffer.from('OggS and so on')],
  ])('toSticker() rejects %s', async (_, input) => {
    const image = input === 'half' ? (await noise(200, 200)).subarray(0, 4000) : Buffer.from(input);
    await expect(toSticker(decoder, 'a', image)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      status: 400,
      certain: true,
    });
  });

  it('toSticker() rejects a small file with 64 million pixels', async () => {
    const bomb = hugePng(8_000, 8_000);
    expect(bomb.length).toBeLessThan(200_000);
    await expect(toSticker(decoder, 'a', bomb)).rejects.toMatchObject({ code: 'MEDIA_INVALID', certain: true });
  });

  it('toSticker() lowers the quality until an animation has at most 1 MB', async () => {
    const images = await Promise.all(Array.from({ length: 4 }, () => noise(512, 512)));
    const { bytes } = await toSticker(
      decoder,
      'a',
      await sharp(images, { join: { animated: true } })
        .webp()
        .toBuffer(),
    );
    expect(bytes.length).toBeLessThanOrEqual(1_000_000);
    expect((await metadataOf(bytes)).pages).toBe(4);
  });
});

const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 }, background: '#000' },
  })
    .png()
    .toBuffer();
