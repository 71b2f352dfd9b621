// Encrypted uploads of chat files to a fake media host. The sandbox decrypts them with code of its own.
import { describe, expect, it } from 'vitest';
import { decryptFile } from '../../../packages/sandbox/src/crypto/media-cipher.ts';
import { smallFileOf, uploadEncrypted } from '../../../src/whatsapp/media/encrypted-upload.ts';
import type { UploadContent } from '../../../src/whatsapp/media/upload-content.ts';
import { startMediaHost } from './fake-media-host.ts';

const storedAnswer: [number, object] = [200, { url: 'https://b/v/a', direct_path: '/v/a' }];

async function upload(content: UploadContent, ...answers: [number, object][]) {
  const { requests, hostname, agent } = await startMediaHost(...answers);
  const forcedFlags: boolean[] = [];
  const fetchHosts = async (isForced: boolean) => {
    forcedFlags.push(isForced);
    return { hosts: [{ hostname }], auth: `a b ${isForced}` };
  };
  const file = smallFileOf(content);
  if (!file) throw new Error('the file is not small');
  return { requests, forcedFlags, uploaded: uploadEncrypted(file, { fetchHosts, agent, timeout: 5_000 }) };
}

describe('uploadEncrypted and smallFileOf', () => {
  it.each([
    ['image', { mimetype: 'image/png', width: 3, jpegThumbnail: 'YWI=', caption: 'c' }, 'imageMessage', '/mms/image/'],
    ['video', { ptv: true }, 'ptvMessage', '/mms/video/'],
    ['audio', { ptt: true, seconds: 2, waveform: new Uint8Array(64) }, 'audioMessage', '/mms/audio/'],
    ['document', { fileName: 'a.txt', title: 'a.txt' }, 'documentMessage', '/mms/document/'],
    ['sticker', { isAnimated: true }, 'stickerMessage', '/mms/image/'],
  ] as const)('uploadEncrypted() uploads a small file of the kind %s so that the recipient can decrypt it', async (kind, fields, name, path) => {
    for (const size of [1, 15, 16, 100_000]) {
      const bytes = Buffer.alloc(size, 'picture');
      const content = Object.assign({ [kind]: bytes }, fields) as unknown as UploadContent;
      const { requests, uploaded } = await upload(content, storedAnswer);
      const message = (await uploaded)[name];
      const [request] = requests;
      if (!message || !request) throw new Error('nothing was uploaded');
      const { mediaKey, fileSha256, fileEncSha256 } = message;
      const keys = {
        mediaKey: Buffer.from(mediaKey ?? []),
        fileSha256: Buffer.from(fileSha256 ?? []),
        fileEncSha256: Buffer.from(fileEncSha256 ?? []),
      };
      expect(decryptFile(request.body, keys, kind).equals(bytes)).toBe(true);
      const token = keys.fileEncSha256.toString('base64url');
      expect(request.url.pathname).toBe(path + token);
      expect(Object.fromEntries(request.url.searchParams)).toEqual({ auth: 'a b false', token });
      const { ptv: _, jpegThumbnail, ...others } = { ptv: undefined, jpegThumbnail: undefined, ...fields };
      expect(message).toMatchObject({ ...others, url: 'https://b/v/a', directPath: '/v/a' });
      expect(Number(message.fileLength)).toBe(size);
      expect(message.mimetype).toMatch(/\//);
      if (jpegThumbnail) expect(Reflect.get(message, 'jpegThumbnail')).toEqual(Buffer.from('ab'));
    }
  });

  it('uploadEncrypted() fetches a new token when the host answers with error 401', async () => {
    const { requests, forcedFlags, uploaded } = await upload({ image: Buffer.from('a') }, [401, {}], storedAnswer);
    expect(await uploaded).toMatchObject({ imageMessage: { directPath: '/v/a', mimetype: 'image/jpeg' } });
    expect(forcedFlags).toEqual([false, true]);
    expect(requests.map(({ url }) => url.searchParams.get('auth'))).toEqual(['a b false', 'a b true']);
  });

  it('uploadEncrypted() rejects when no host returns the path of the file', async () => {
    const { forcedFlags, uploaded } = await upload({ image: Buffer.from('a') }, [200, {}], [200, { direct_path: 1 }]);
    await expect(uploaded).rejects.toThrow('contains no path');
    expect(forcedFlags).toEqual([false, true]);
  });

  it('smallFileOf() returns undefined for a file above 1 MiB, which Baileys uploads', () => {
    expect(smallFileOf({ image: Buffer.alloc(2 ** 20) })).toBeDefined();
    expect(smallFileOf({ image: Buffer.alloc(2 ** 20 + 1) })).toBeUndefined();
  });
});
