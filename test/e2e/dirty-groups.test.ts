// WhatsApp reports after a login that the groups of the account have changed (`<dirty type="groups"/>`).
import { encodeBinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { contact, ownNumber, textBody, useStage } from './session-stage.ts';

const stage = useStage();

/** Reports the change and resolves with the confirmation of the session. */
function reportChange(type: string) {
  const dirty = { tag: 'ib', attrs: {}, content: [{ tag: 'dirty', attrs: { type } }] };
  stage.sandbox.inject(ownNumber, 'stanza', Buffer.from(encodeBinaryNode(dirty)));
  const clean = [{ tag: 'clean', attrs: { type: 'groups' } }];
  return stage.stanza(({ node }) => JSON.stringify(node.content) === JSON.stringify(clean));
}

it.each([
  'groups',
  'communities',
])('a session confirms changed %s while WhatsApp refuses to list groups', async (type) => {
  const line = await stage.openLinked();
  stage.sandbox.faults.add({ kind: 'failNext', number: ownNumber, xmlns: 'w:g2', code: 429, times: 0 });
  await reportChange(type);
  await stage.phone(contact).send(ownNumber, { text: 'after the report' });
  await line.until(() => line.received().length > 0);
  expect(line.signals.map((signal) => signal.type)).not.toContain('closed');
});

it('a session fetches a group again after a report of changed groups', async () => {
  const line = await stage.openLinked();
  const { id } = stage.phone(ownNumber).createGroup('Crew', [contact]);
  await sendText(line.session, textBody('first', id));
  await reportChange('groups');
  const { queryCount } = stage.sandbox.groups;
  await sendText(line.session, textBody('second', id));
  expect(stage.sandbox.groups.queryCount).toBe(queryCount + 1);
});
