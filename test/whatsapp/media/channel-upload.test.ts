// Uploads of channel files to a fake media host.
import { describe, expect, it } from 'vitest';
import { uploadForChannel } from '../../../src/whatsapp/media/channel-upload.ts';
import { startMediaHost } from './fake-media-host.ts';

const image = { image: Buffer.from('picture'), mimetype: 'image/png', width: 3 };

describe('uploadForChannel', () => {
  it('uploadForChannel() uploads the file unencrypted and returns content without key and URL', async () => {
    const thumbnail = { thumbnail_direct_path: '/m1/small', thumbnail_sha256: Buffer.alloc(32, 1).toString('base64') };
    const { requests, hostname, agent } = await startMediaHost([
      200,
      { direct_path: '/m1/a', url: 'https://b', thumbnail_info: thumbnail },
    ]);
    const fetchHosts = async () => ({ hosts: [{ hostname }], auth: 'a b' });
    const { imageMessage } = await uploadForChannel(image, { fetchHosts, agent, timeout: 5_000 });
    expect(
      requests.map(({ url, body }) => [url.pathname.slice(0, 29), Object.fromEntries(url.searchParams), String(body)]),
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
      requests[0]?.url.searchParams.get('token'),
    );
    expect(imageMessage?.url).toBeFalsy();
    expect(imageMessage?.mediaKey ?? []).toHaveLength(0);
  });

  it('uploadForChannel() retries with a new token after error 401, and rejects without a path or a media host', async () => {
    const { requests, hostname, agent } = await startMediaHost(
      [401, {}],
      [200, { direct_path: '/m1/a' }],
      [401, {}],
      [200, {}],
    );
    const forcedFlags: boolean[] = [];
    const fetchHosts = async (isForced: boolean) => {
      forcedFlags.push(isForced);
      return { hosts: [{ hostname }], auth: `token-${isForced}` };
    };
    const deps = { fetchHosts, agent, timeout: 5_000 };
    expect(await uploadForChannel({ sticker: Buffer.from('s') }, deps)).toMatchObject({
      stickerMessage: { mimetype: 'image/webp' },
    });
    expect(forcedFlags).toEqual([false, true]);
    expect(requests.map(({ url }) => url.searchParams.get('auth'))).toEqual(['token-false', 'token-true']);
    await expect(uploadForChannel({ sticker: Buffer.from('s') }, deps)).rejects.toThrow('contains no path');
    await expect(
      uploadForChannel({ sticker: Buffer.from('s') }, { ...deps, fetchHosts: async () => ({ hosts: [], auth: '' }) }),
    ).rejects.toThrow('no media host');
  });

  it('uploadForChannel() rejects an overlong answer of the media host', async () => {
    const longAnswer = { direct_path: '/m1/a', padding: 'x'.repeat(200_000) };
    const { hostname, agent } = await startMediaHost([200, longAnswer], [200, longAnswer]);
    const deps = { fetchHosts: async () => ({ hosts: [{ hostname }], auth: '' }), agent, timeout: 5_000 };
    await expect(uploadForChannel(image, deps)).rejects.toThrow('longer than');
  });
});
