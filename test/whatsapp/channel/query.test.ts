import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { queryChannels } from '../../../src/whatsapp/channel/query.ts';
import { fakeSession } from '../../support/session-fakes.ts';

/** Creates a session whose platform answers each query with `content`. */
const sessionWithAnswer = (content: BinaryNode['content']) =>
  fakeSession({ query: async () => ({ tag: 'iq', attrs: {}, content: [{ tag: 'result', attrs: {}, content }] }) });

const sessionWithJson = (answer: unknown) => sessionWithAnswer(Buffer.from(JSON.stringify(answer)));

describe('queryChannels', () => {
  it('queryChannels() returns the result that the answer contains under the path of the query', async () => {
    await expect(queryChannels(sessionWithJson({ data: { xwa2_newsletter: { id: 1 } } }), 'find', {})).resolves.toEqual(
      { id: 1 },
    );
    await expect(
      queryChannels(sessionWithJson({ data: { xwa2_newsletter_mute_v2: null } }), 'mute', {}),
    ).resolves.toBeNull();
  });

  it.each([
    [403, 'CHANNEL_FORBIDDEN', 403],
    [404, 'CHANNEL_NOT_FOUND', 404],
    [429, 'RATE_LIMITED', 429],
    [501, 'CHANNEL_REFUSED', 400],
    [undefined, 'CHANNEL_REFUSED', 400],
  ])('queryChannels() converts error code %s of WhatsApp to %s', async (code, name, status) => {
    const errors = [{ message: 'no', extensions: { error_code: code } }];
    const rejection = queryChannels(sessionWithJson({ data: null, errors }), 'follow', {});
    await expect(rejection).rejects.toMatchObject({
      code: name,
      status,
      certain: true,
      responseMessage: ['Error: no'],
    });
  });

  it('queryChannels() throws CHANNEL_NOT_FOUND for an empty answer and CHANNEL_REFUSED for an unreadable answer', async () => {
    const emptyAnswer = sessionWithJson({ data: { xwa2_newsletter: null } });
    await expect(queryChannels(emptyAnswer, 'find', {})).rejects.toMatchObject({
      code: 'CHANNEL_NOT_FOUND',
      certain: true,
    });
    const refusal = { code: 'CHANNEL_REFUSED', certain: true };
    for (const content of [undefined, Buffer.from([0x0a, 0xff])]) {
      await expect(queryChannels(sessionWithAnswer(content), 'find', {})).rejects.toMatchObject(refusal);
      await expect(queryChannels(sessionWithAnswer(content), 'delete', {})).rejects.toMatchObject({
        ...refusal,
        certain: false,
      });
    }
  });
});
