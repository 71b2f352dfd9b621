// Locations of the files of messages, and the derived keys that sign links to the files.
import { expect, it } from 'vitest';
import { key, message, toEventBatch } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const file = { mediaKey: 'a2V5', directPath: '/v/old', url: 'https://h/v/old', caption: 'cat' };
const newLocation = { directPath: '/v/new', url: 'https://h/v/new' };

export function fileTests(open: OpenFixture): void {
  it('messages.setFileLocation() changes only the location of the file, also inside a wrapper message', async () => {
    const fixture = await open();
    const bare = message('bare', { message: { imageMessage: file }, messageType: 'imageMessage' });
    const wrapped = message('wrapped', { message: { ephemeralMessage: { message: { imageMessage: file } } } });
    const text = message('text', { message: { conversation: 'x', messageContextInfo: { messageSecret: 's' } } });
    const messages = [bare, wrapped, text].map((each) => ({ message: each, events: [] }));
    await fixture.storage.messages.record('a', toEventBatch({ messages }));
    for (const id of ['bare', 'wrapped', 'text', 'unknown'])
      await fixture.storage.messages.setFileLocation('a', key(id), newLocation);
    await fixture.storage.messages.setFileLocation('a', key('bare', { remoteJid: 'other@s.whatsapp.net' }), file);
    await fixture.storage.messages.setFileLocation('b', key('bare'), file);
    for await (const store of beforeAndAfterRestart(fixture)) {
      const moved = { ...file, ...newLocation };
      expect(await store.messages.get('a', 'bare')).toEqual({ ...bare, message: { imageMessage: moved } });
      const inner = { ephemeralMessage: { message: { imageMessage: moved } } };
      expect(await store.messages.get('a', 'wrapped')).toEqual({ ...wrapped, message: inner });
      expect(await store.messages.get('a', 'text')).toEqual(text);
    }
  });

  it('deriveKeys() returns the same key after a restart, another key per purpose, and the old key after a rotation', async () => {
    const fixture = await open();
    const [first] = fixture.storage.deriveKeys('links');
    expect(first).toHaveLength(32);
    expect(fixture.storage.deriveKeys('other')[0]).not.toEqual(first);
    const reopened = await fixture.reopen();
    expect(reopened.deriveKeys('links')).toEqual([first]);
    const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 9)].map((each) => each.toString('base64'));
    const rotated = await fixture.reopen({ encryptionKey: `${newKey},${oldKey}` });
    expect(rotated.deriveKeys('links')).toHaveLength(2);
    expect(rotated.deriveKeys('links')[1]).toEqual(first);
  });
}
