// The cost of messages that cannot be decrypted.
import { encodeBinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { contact, ownNumber, useStage } from './session-stage.ts';

const stage = useStage();

/** The number of different messages. The contact sends each of them three times. */
const MESSAGES = 50;

const preKeyIds = () => [...stage.keys.rows.keys()].filter((id) => id.startsWith('pre-key|'));
const isRetry = ({ node }: ClientStanza): boolean => node.tag === 'receipt' && node.attrs.type === 'retry';

it('a session requests all undecryptable messages of a contact again, and stores only a few prekeys for them', async () => {
  const line = await stage.openLinked();
  await stage.phone(contact).send(ownNumber, { text: 'before' });
  await line.until(() => line.received().length > 0);
  const countBefore = preKeyIds().length;
  const ids = Array.from({ length: MESSAGES }, (_, n) => `GARBLED${n}`);
  const enc = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.alloc(60, 0x33) };
  for (const id of [ids, ids, ids].flat()) {
    const attrs = { id, from: pnJid(stage.phone(contact).account), type: 'text', t: '1767225600' };
    stage.sandbox.inject(ownNumber, 'stanza', Buffer.from(encodeBinaryNode({ tag: 'message', attrs, content: [enc] })));
  }
  await stage.stanza(() => stage.stanzas.filter(isRetry).length === 3 * MESSAGES);
  const lastId = await stage.phone(contact).send(ownNumber, { text: 'after' });
  await line.until(() => line.received().some(({ key }) => key.id === lastId));
  expect(preKeyIds().length - countBefore).toBeLessThanOrEqual(10);
});
