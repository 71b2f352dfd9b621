import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { assertPostAllowed, toPostStanza } from '../../../src/whatsapp/outbound/channel-post.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const jid = '120363025246125486@newsletter';

describe('toPostStanza', () => {
  it.each<[string, proto.IMessage, string, object]>([
    ['a text', { extendedTextMessage: { text: 'a' } }, 'text', {}],
    [
      'a link with its preview',
      { extendedTextMessage: { text: 'a', matchedText: 'https://a' } },
      'media',
      { mediatype: 'url' },
    ],
    ['a picture', { imageMessage: {} }, 'media', { mediatype: 'image' }],
    ['a sound', { audioMessage: {} }, 'media', { mediatype: 'audio' }],
    ['a voice note', { audioMessage: { ptt: true } }, 'media', { mediatype: 'ptt' }],
    ['a document', { documentMessage: {} }, 'media', { mediatype: 'document' }],
  ])('toPostStanza() states the type and the media type of %s', (_, message, type, contentAttrs) => {
    const { attrs, content } = toPostStanza(jid, 'A1', message);
    expect(attrs).toEqual({ to: jid, id: 'A1', type });
    expect(content).toEqual([
      { tag: 'plaintext', attrs: contentAttrs, content: proto.Message.encode(message).finish() },
    ]);
  });

  it('toPostStanza() refers to a post by its server id and marks a removed reaction', () => {
    const reaction = (text: string) => toPostStanza(jid, 'A1', { reactionMessage: { text } }, { server_id: '7' });
    const attrs = { to: jid, id: 'A1', type: 'reaction', server_id: '7' };
    expect(reaction('👍')).toEqual({ tag: 'message', attrs, content: [{ tag: 'reaction', attrs: { code: '👍' } }] });
    expect(reaction('')).toEqual({
      tag: 'message',
      attrs: { ...attrs, edit: '7' },
      content: [{ tag: 'reaction', attrs: {} }],
    });
  });
});

describe('assertPostAllowed', () => {
  it('assertPostAllowed() queries the role of the account once for two posts', async () => {
    let queryCount = 0;
    const metadata = { data: { xwa2_newsletter: { id: jid, viewer_metadata: { role: 'ADMIN' } } } };
    const result = { tag: 'result', attrs: {}, content: Buffer.from(JSON.stringify(metadata)) };
    const session = fakeSession({
      async query() {
        queryCount++;
        return { tag: 'iq', attrs: {}, content: [result] };
      },
    });
    for (const text of ['a', 'b']) await assertPostAllowed(session, jid, { conversation: text }, undefined);
    expect(queryCount).toBe(1);
  });
});
