// What is uploaded for chats, at a media host that keeps nothing. The sandbox decrypts it with its own code.
import { describe, expect, it } from 'vitest';
import { decryptFile } from '../../../packages/sandbox/src/crypto/media-cipher.ts';
import { smallFileOf, uploadEncrypted } from '../../../src/whatsapp/media/encrypted-upload.ts';
import type { UploadContent } from '../../../src/whatsapp/media/upload-content.ts';
import { host } from './media-host.ts';

const stored: [number, object] = [200, { url: 'https://b/v/a', direct_path: '/v/a' }];

async function upload(content: UploadContent, ...answers: [number, object][]) {
  const { asked, hostname, agent } = await host(...answers);
  const forced: boolean[] = [];
  const fetchHosts = async (isForced: boolean) => {
    forced.push(isForced);
    return { hosts: [{ hostname }], auth: `a b ${isForced}` };
  };
  const file = smallFileOf(content);
  if (!file) throw new Error('the file is not small');
  return { asked, forced, uploaded: uploadEncrypted(file, { fetchHosts, agent, timeout: 5_000 }) };
}

describe('a small file', () => {
  it.each([
    ['image', { mimetype: 'image/png', width: 3, jpegThumbnail: 'YWI=', caption: 'c' }, 'imageMessage', '/mms/image/'],
    ['video', { ptv: true }, 'ptvMessage', '/mms/video/'],
    ['audio', { ptt: true, seconds: 2, waveform: new Uint8Array(64) }, 'audioMessage', '/mms/audio/'],
    ['document', { fileName: 'a.txt', title: 'a.txt' }, 'documentMessage', '/mms/document/'],
    ['sticker', { isAnimated: true }, 'stickerMessage', '/mms/image/'],
  ] as const)('uploadEncrypted uploads %s so that the recipient can decrypt it', async (kind, fields, name, path) => {
    for (const size of [1, 15, 16, 100_000]) {
      const bytes = Buffer.alloc(size, 'picture');
      const content = Object.assign({ [kind]: bytes }, fields) as unknown as UploadContent;
      const { asked, uploaded } = await upload(content, stored);
      const message = (await uploaded)[name];
      const [request] = asked;
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

  it('uploadEncrypted asks for a new token when a host refuses the file', async () => {
    const { asked, forced, uploaded } = await upload({ image: Buffer.from('a') }, [401, {}], stored);
    expect(await uploaded).toMatchObject({ imageMessage: { directPath: '/v/a', mimetype: 'image/jpeg' } });
    expect(forced).toEqual([false, true]);
    expect(asked.map(({ url }) => url.searchParams.get('auth'))).toEqual(['a b false', 'a b true']);
  });

  it('uploadEncrypted fails when no host says where the file is', async () => {
    const { forced, uploaded } = await upload({ image: Buffer.from('a') }, [200, {}], [200, { direct_path: 1 }]);
    await expect(uploaded).rejects.toThrow('contains no path');
    expect(forced).toEqual([false, true]);
  });

  it('smallFileOf leaves large files to Baileys', () => {
    expect(smallFileOf({ image: Buffer.alloc(2 ** 20) })).toBeDefined();
    expect(smallFileOf({ image: Buffer.alloc(2 ** 20 + 1) })).toBeUndefined();
  });
});
