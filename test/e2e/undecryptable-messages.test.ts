// What messages that cannot be decrypted cost.
import { encodeBinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { mine, theirs, useStage } from './stage.ts';

const stage = useStage();

/** Number of different messages, each of which a contact sends three times. */
const MESSAGES = 50;

const preKeyIds = () => [...stage.keys.rows.keys()].filter((id) => id.startsWith('pre-key|'));
const isRetry = ({ node }: ClientStanza): boolean => node.tag === 'receipt' && node.attrs.type === 'retry';

it('the messages of a contact that cannot be decrypted are all requested, and store only a few pre-keys', async () => {
  const line = await stage.openLinked();
  await stage.phone(theirs).send(mine, { text: 'before' });
  await line.until(() => line.received().length > 0);
  const before = preKeyIds().length;
  const ids = Array.from({ length: MESSAGES }, (_, n) => `GARBLED${n}`);
  const enc = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.alloc(60, 0x33) };
  for (const id of [ids, ids, ids].flat()) {
    const attrs = { id, from: pnJid(stage.phone(theirs).account), type: 'text', t: '1767225600' };
    stage.sandbox.inject(mine, 'stanza', Buffer.from(encodeBinaryNode({ tag: 'message', attrs, content: [enc] })));
  }
  await stage.stanza(() => stage.stanzas.filter(isRetry).length === 3 * MESSAGES);
  const answered = await stage.phone(theirs).send(mine, { text: 'after' });
  await line.until(() => line.received().some(({ key }) => key.id === answered));
  expect(preKeyIds().length - before).toBeLessThanOrEqual(10);
});
