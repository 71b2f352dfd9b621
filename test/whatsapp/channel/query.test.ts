import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { queryChannels } from '../../../src/whatsapp/channel/query.ts';
import { fakeSession } from '../fakes.ts';

/** A session whose platform answers every query with `content`. */
const answering = (content: BinaryNode['content']) =>
  fakeSession({ query: async () => ({ tag: 'iq', attrs: {}, content: [{ tag: 'result', attrs: {}, content }] }) });

const json = (answer: unknown) => answering(Buffer.from(JSON.stringify(answer)));

describe('a question about channels', () => {
  it('queryChannels returns the result under its path', async () => {
    await expect(queryChannels(json({ data: { xwa2_newsletter: { id: 1 } } }), 'find', {})).resolves.toEqual({ id: 1 });
    await expect(queryChannels(json({ data: { xwa2_newsletter_mute_v2: null } }), 'mute', {})).resolves.toBeNull();
  });

  it.each([
    [403, 'CHANNEL_FORBIDDEN', 403],
    [404, 'CHANNEL_NOT_FOUND', 404],
    [429, 'RATE_LIMITED', 429],
    [501, 'CHANNEL_REFUSED', 400],
    [undefined, 'CHANNEL_REFUSED', 400],
  ])('queryChannels converts refusal %s to %s', async (code, name, status) => {
    const errors = [{ message: 'no', extensions: { error_code: code } }];
    const refused = queryChannels(json({ data: null, errors }), 'follow', {});
    await expect(refused).rejects.toMatchObject({ code: name, status, certain: true, responseMessage: ['Error: no'] });
  });

  it('queryChannels throws for an empty or unreadable answer', async () => {
    const nothing = json({ data: { xwa2_newsletter: null } });
    await expect(queryChannels(nothing, 'find', {})).rejects.toMatchObject({
      code: 'CHANNEL_NOT_FOUND',
      certain: true,
    });
    const unreadable = { code: 'CHANNEL_REFUSED', certain: true };
    for (const content of [undefined, Buffer.from([0x0a, 0xff])]) {
      await expect(queryChannels(answering(content), 'find', {})).rejects.toMatchObject(unreadable);
      await expect(queryChannels(answering(content), 'delete', {})).rejects.toMatchObject({
        ...unreadable,
        certain: false,
      });
    }
  });
});
