// A person has given up a phone number, which now belongs to another person. The LID map still has the number under the
// LID of the former owner.
import { beforeEach, describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { encodeKey } from '../../src/whatsapp/baileys/auth/codec.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { contact, ownNumber, textBody, useStage } from './session-stage.ts';

const stage = useStage();

/** The number that belonged to `contact`. */
const reassigned = '15550009003';
const username = 'former.owner';

const formerOwner = () => stage.sandbox.world.account(contact);
const newOwner = () => stage.sandbox.world.account(reassigned);
const userOf = (jid: string) => jid.replace(/@.*/, '');
const textsOf = (number: string) =>
  stage
    .phone(number)
    .messages()
    .map((message) => message.text);

function storeMapping(id: string, value: string): void {
  stage.keys.rows.set(`lid-mapping|${id}`, encodeKey('lid-mapping', value));
}

beforeEach(() => {
  Object.assign(formerOwner(), { hidesNumber: true, username });
  const lid = userOf(lidJid(newOwner()));
  storeMapping(reassigned, lid);
  storeMapping(`${lid}_reverse`, reassigned);
  storeMapping(`${userOf(lidJid(formerOwner()))}_reverse`, reassigned);
});

describe('reassigned numbers', () => {
  it.each([
    ['LID', () => lidJid(formerOwner())],
    ['user name', () => `@${username}`],
  ])('a message to the former owner of a reassigned number by %s does not reach the new owner', async (_, recipient) => {
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, textBody('private', recipient()));
    await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
    expect(key.remoteJid).toBe(lidJid(formerOwner()));
    expect([textsOf(contact), textsOf(reassigned)]).toEqual([['private'], []]);
  });

  it('a message of the former owner of a reassigned number is reported under the LID', async () => {
    const line = await stage.openLinked();
    await stage.phone(contact).send(ownNumber, { text: 'hi' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message?.key).toMatchObject({ remoteJid: lidJid(formerOwner()) });
  });

  it('a message to a reassigned number reaches the new owner', async () => {
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, textBody('hello', reassigned));
    await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
    expect(key).toMatchObject({ remoteJid: pnJid(newOwner()), remoteJidAlt: lidJid(newOwner()) });
    expect([textsOf(contact), textsOf(reassigned)]).toEqual([[], ['hello']]);
  });
});
