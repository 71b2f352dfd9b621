// Where the files of messages lie, and the keys that links to them are signed with.
import { expect, it } from 'vitest';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { key, message, recording } from '../samples.ts';

const file = { mediaKey: 'a2V5', directPath: '/v/old', url: 'https://h/v/old', caption: 'cat' };
const place = { directPath: '/v/new', url: 'https://h/v/new' };

export function fileTests(open: OpenBench): void {
  it('writes a new place into the file of a message, also inside wrappers, and nothing else', async () => {
    const bench = await open();
    const bare = message('bare', { message: { imageMessage: file }, messageType: 'imageMessage' });
    const wrapped = message('wrapped', { message: { ephemeralMessage: { message: { imageMessage: file } } } });
    const text = message('text', { message: { conversation: 'x', messageContextInfo: { messageSecret: 's' } } });
    const messages = [bare, wrapped, text].map((each) => ({ message: each, events: [] }));
    await bench.storage.messages.record('a', recording({ messages }));
    for (const id of ['bare', 'wrapped', 'text', 'unknown'])
      await bench.storage.messages.setFileLocation('a', key(id), place);
    await bench.storage.messages.setFileLocation('a', key('bare', { remoteJid: 'other@s.whatsapp.net' }), file);
    await bench.storage.messages.setFileLocation('b', key('bare'), file);
    for await (const store of beforeAndAfterRestart(bench)) {
      const moved = { ...file, ...place };
      expect(await store.messages.get('a', 'bare')).toEqual({ ...bare, message: { imageMessage: moved } });
      const inner = { ephemeralMessage: { message: { imageMessage: moved } } };
      expect(await store.messages.get('a', 'wrapped')).toEqual({ ...wrapped, message: inner });
      expect(await store.messages.get('a', 'text')).toEqual(text);
    }
  });

  it('derives the same keys after a restart, another one for each purpose, and keeps the old one when a new key comes first', async () => {
    const bench = await open();
    const [first] = bench.storage.deriveKeys('links');
    expect(first).toHaveLength(32);
    expect(bench.storage.deriveKeys('other')[0]).not.toEqual(first);
    const again = await bench.reopen();
    expect(again.deriveKeys('links')).toEqual([first]);
    const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 9)].map((each) => each.toString('base64'));
    const rotated = await bench.reopen({ encryptionKey: `${fresh},${old}` });
    expect(rotated.deriveKeys('links')).toHaveLength(2);
    expect(rotated.deriveKeys('links')[1]).toEqual(first);
  });
}
