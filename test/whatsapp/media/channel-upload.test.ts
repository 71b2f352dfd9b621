// What is uploaded for channels, at a media host that keeps nothing.
import { describe, expect, it } from 'vitest';
import { uploadForChannel } from '../../../src/whatsapp/media/channel-upload.ts';
import { host } from './media-host.ts';

const image = { image: Buffer.from('picture'), mimetype: 'image/png', width: 3 };

describe('a file for a channel', () => {
  it('uploadForChannel uploads the file unencrypted, without key and URL in the content', async () => {
    const made = { thumbnail_direct_path: '/m1/small', thumbnail_sha256: Buffer.alloc(32, 1).toString('base64') };
    const { asked, hostname, agent } = await host([
      200,
      { direct_path: '/m1/a', url: 'https://b', thumbnail_info: made },
    ]);
    const fetchHosts = async () => ({ hosts: [{ hostname }], auth: 'a b' });
    const { imageMessage } = await uploadForChannel(image, { fetchHosts, agent, timeout: 5_000 });
    expect(
      asked.map(({ url, body }) => [url.pathname.slice(0, 29), Object.fromEntries(url.searchParams), String(body)]),
    ).toEqual([
      ['/newsletter/newsletter-image/', { auth: 'a b', token: expect.any(String), server_thumb_gen: '1' }, 'picture'],
    ]);
    expect(imageMessage).toMatchObject({
      directPath: '/m1/a',
      mimetype: 'image/png',
      width: 3,
      thumbnailDirectPath: '/m1/small',
    });
    expect(Buffer.from(imageMessage?.fileSha256 ?? []).toString('base64url')).toBe(
      asked[0]?.url.searchParams.get('token'),
    );
    expect(imageMessage?.url).toBeFalsy();
    expect(imageMessage?.mediaKey ?? []).toHaveLength(0);
  });

  it('uploadForChannel retries with a new token and fails when that is refused too', async () => {
    const { asked, hostname, agent } = await host([401, {}], [200, { direct_path: '/m1/a' }], [401, {}], [200, {}]);
    const forced: boolean[] = [];
    const fetchHosts = async (isForced: boolean) => {
      forced.push(isForced);
      return { hosts: [{ hostname }], auth: `token-${isForced}` };
    };
    const deps = { fetchHosts, agent, timeout: 5_000 };
    expect(await uploadForChannel({ sticker: Buffer.from('s') }, deps)).toMatchObject({
      stickerMessage: { mimetype: 'image/webp' },
    });
    expect(forced).toEqual([false, true]);
    expect(asked.map(({ url }) => url.searchParams.get('auth'))).toEqual(['token-false', 'token-true']);
    await expect(uploadForChannel({ sticker: Buffer.from('s') }, deps)).rejects.toThrow('contains no path');
    await expect(
      uploadForChannel({ sticker: Buffer.from('s') }, { ...deps, fetchHosts: async () => ({ hosts: [], auth: '' }) }),
    ).rejects.toThrow('no media host');
  });

  it('uploadForChannel refuses an answer that is longer than an answer of a media host', async () => {
    const long = { direct_path: '/m1/a', padding: 'x'.repeat(200_000) };
    const { hostname, agent } = await host([200, long], [200, long]);
    const deps = { fetchHosts: async () => ({ hosts: [{ hostname }], auth: '' }), agent, timeout: 5_000 };
    await expect(uploadForChannel(image, deps)).rejects.toThrow('longer than');
  });
});
