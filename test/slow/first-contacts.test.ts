// First messages of one account to 500 contacts. Half of the contacts are migrated to LIDs.
import { getBinaryNodeChild, getBinaryNodeChildString } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import type { AddressForm } from '../../src/whatsapp/session.ts';
import { ownNumber, type SessionProbe, textBody, useStage } from '../e2e/session-stage.ts';

const COUNT = 500;
const CONCURRENCY = 20;
const stage = useStage();

const numbers = Array.from({ length: COUNT }, (_, n) => String(15_550_700_001 + n));
const isMigrated = (index: number) => index % 2 === 0;

/**
 * Sends one text to each number. Resolves when each message has a final status, with the message ids in the order of
 * the numbers.
 */
async function sendToAll(line: SessionProbe): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const sendNext = async () => {
    for (let index = next++; index < COUNT; index = next++) {
      const { key } = await sendText(line.session, textBody(`hello ${index}`, numbers[index]));
      ids[index] = key.id;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  const isFinal = (status: string | undefined) => status === 'DELIVERY_ACK' || status === 'ERROR';
  const pending = new Set(ids);
  await line.until(() => {
    for (const id of pending) if (line.statuses(id).some(isFinal)) pending.delete(id);
    return pending.size === 0;
  });
  return ids;
}

/** The address forms of the message stanzas to other accounts, by message id. */
function writtenForms(): Map<string, AddressForm[]> {
  const forms = new Map<string, AddressForm[]>();
  for (const { number, node } of stage.stanzas) {
    const { id = '', to = '' } = node.attrs;
    if (number !== ownNumber || node.tag !== 'message' || getBinaryNodeChild(node, 'participants') === undefined)
      continue;
    forms.set(id, [...(forms.get(id) ?? []), to.endsWith('@lid') ? 'lid' : 'pn']);
  }
  return forms;
}

it.each<[string, AddressForm, readonly ('lidOnly' | 'pnOnly')[], migrated: AddressForm[], others: AddressForm[]]>([
  ['LIDs are used and accepted', 'lid', ['lidOnly'], ['lid'], ['lid']],
  ['LIDs are used and half of them refused', 'lid', ['lidOnly', 'pnOnly'], ['lid'], ['lid', 'pn']],
  ['numbers are used and half of them refused', 'pn', ['lidOnly'], ['pn', 'lid'], ['pn']],
])(
  'the gateway delivers the first message to each of 500 contacts exactly once when %s',
  { timeout: 300_000 },
  async (_, addressForm, faults, migrated, others) => {
    for (const [index, number] of numbers.entries()) stage.sandbox.world.account(number).migrated = isMigrated(index);
    for (const kind of faults) stage.sandbox.faults.add({ kind, number: ownNumber, times: 0 });
    const line = await stage.openLinked({ addressForm, sendTimeout: 60_000, queryTimeout: 60_000 });
    const ids = await sendToAll(line);

    expect(ids.filter((id) => line.statuses(id).includes('ERROR'))).toEqual([]);
    const received = numbers.map((number) =>
      stage
        .phone(number)
        .messages()
        .map((message) => message.text),
    );
    expect(received).toEqual(numbers.map((__, index) => [`hello ${index}`]));
    expect(new Set(ids).size).toBe(COUNT);
    const forms = writtenForms();
    expect(ids.map((id) => forms.get(id))).toEqual(numbers.map((__, index) => (isMigrated(index) ? migrated : others)));
    expect([...forms.keys()].sort()).toEqual([...ids].sort());
    expect(stage.retries).toEqual(ids.flatMap((id) => (forms.get(id)?.length === 2 ? ['accepted'] : [])));

    // One query per contact returns the number, the devices and the LID.
    const queried = stage.stanzas.flatMap(({ node }) => {
      const usync = getBinaryNodeChild(node, 'usync');
      if (getBinaryNodeChild(getBinaryNodeChild(usync, 'query'), 'devices') === undefined) return [];
      const users = getBinaryNodeChild(usync, 'list')?.content;
      return Array.isArray(users)
        ? users.map((user) => user.attrs.jid ?? getBinaryNodeChildString(user, 'contact'))
        : [];
    });
    const perPerson = numbers.map((number) => {
      const { account } = stage.phone(number);
      return queried.filter((user) => [pnJid(account), lidJid(account), `+${number}`].includes(user ?? '')).length;
    });
    expect(Math.max(...perPerson)).toBe(1);
  },
);
