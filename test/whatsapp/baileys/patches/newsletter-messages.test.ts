import { expect, it } from 'vitest';
import { patchNewsletterMessages } from '../../../../src/whatsapp/baileys/patches/newsletter-messages.ts';
import type { Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { withSocket } from '../socket.ts';

const post: Stanza = {
  tag: 'message',
  attrs: { id: 'A1', from: '120363000000000001@newsletter', t: '1' },
  content: [],
};

it('a post that Baileys fails to process is reported and acknowledged', async () => {
  await withSocket(async (socket) => {
    const sent: Stanza[] = [];
    const errors: unknown[] = [];
    const failing = {
      ...socket,
      upsertMessage: () => Promise.reject(new Error('cannot be processed')),
      sendNode: async (stanza: Stanza) => void sent.push(stanza),
    };
    patchNewsletterMessages(failing, {
      waitForEvents: async () => undefined,
      onFailure: (error) => errors.push(error),
    });
    socket.ws.emit('CB:message', post);
    await expect.poll(() => sent).toMatchObject([{ tag: 'ack', attrs: { class: 'message', id: 'A1' } }]);
    expect(errors).toMatchObject([{ message: 'cannot be processed' }]);
  });
});

it('a post is acknowledged only after its events are stored', async () => {
  await withSocket(async (socket) => {
    const sent: Stanza[] = [];
    const stored = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    const waitForEvents = () => {
      waiting.resolve();
      return stored.promise;
    };
    const recording = { ...socket, sendNode: async (stanza: Stanza) => void sent.push(stanza) };
    patchNewsletterMessages(recording, { waitForEvents, onFailure: () => undefined });
    socket.ws.emit('CB:message', post);
    await waiting.promise;
    expect(sent).toEqual([]);
    stored.resolve();
    await expect.poll(() => sent).toHaveLength(1);
  });
});
