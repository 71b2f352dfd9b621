// A person has given up a phone number, and the number belongs to another person by now. The LID map still has the
// number under the LID of the first person.
import { beforeEach, describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { encodeKey } from '../../src/whatsapp/baileys/auth/codec.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();

/** The number that belonged to `theirs`. */
const reassigned = '15550009003';
const username = 'former.owner';

const former = () => stage.sandbox.world.account(theirs);
const owner = () => stage.sandbox.world.account(reassigned);
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
  Object.assign(former(), { hidesNumber: true, username });
  const lid = userOf(lidJid(owner()));
  storeMapping(reassigned, lid);
  storeMapping(`${lid}_reverse`, reassigned);
  storeMapping(`${userOf(lidJid(former()))}_reverse`, reassigned);
});

describe('a reassigned number', () => {
  it.each([
    ['LID', () => lidJid(former())],
    ['user name', () => `@${username}`],
  ])('a message to the former owner by %s does not reach the new owner', async (_, recipient) => {
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, text('private', recipient()));
    await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
    expect(key.remoteJid).toBe(lidJid(former()));
    expect([textsOf(theirs), textsOf(reassigned)]).toEqual([['private'], []]);
  });

  it('a message of the former owner is reported with the LID only', async () => {
    const line = await stage.openLinked();
    await stage.phone(theirs).send(mine, { text: 'hi' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message?.key).toMatchObject({ remoteJid: lidJid(former()) });
  });

  it('a message to the number reaches the new owner', async () => {
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, text('hello', reassigned));
    await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
    expect(key).toMatchObject({ remoteJid: pnJid(owner()), remoteJidAlt: lidJid(owner()) });
    expect([textsOf(theirs), textsOf(reassigned)]).toEqual([[], ['hello']]);
  });
});
