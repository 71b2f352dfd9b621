// WhatsApp refuses a message with 463 although the account is not restricted: the session sends it once to the other
// address.
import { describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { updateMessage } from '../../src/whatsapp/message/edit.ts';
import { sendReaction } from '../../src/whatsapp/message/reaction.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { contact, ownNumber, type SessionProbe, textBody, useStage } from './session-stage.ts';

const stage = useStage();

const pn = () => pnJid(stage.phone(contact).account);
const lid = () => lidJid(stage.phone(contact).account);

/** The message stanzas from `mine` to `contact`: id and address of each. */
const attempts = () =>
  stage.stanzas.flatMap(({ number, node: { tag, attrs } }) =>
    number === ownNumber && tag === 'message' && [pn(), lid()].includes(attrs.to ?? '') ? [[attrs.id, attrs.to]] : [],
  );

const waitForOutcome = (line: SessionProbe, id: string) =>
  line.until(() => line.statuses(id).find((status) => status === 'DELIVERY_ACK' || status === 'ERROR'));

const errorOf = (line: SessionProbe, id: string) =>
  line.events.find((event) => event.type === 'messages.update' && event.key.id === id && event.status === 'ERROR');

async function send(line: SessionProbe, body: string): Promise<string> {
  const { key } = await sendText(line.session, textBody(body));
  await waitForOutcome(line, key.id);
  return key.id;
}

describe('messages refused with error 463', () => {
  it('a message refused with 463 at the LID goes to the phone number with the same id; later messages go there first', async () => {
    stage.sandbox.faults.add({ kind: 'pnOnly', number: ownNumber, times: 0 });
    const line = await stage.openLinked();
    const first = await send(line, 'first');
    expect(line.statuses(first)).not.toContain('ERROR');
    const second = await send(line, 'second');
    expect(attempts()).toEqual([
      [first, lid()],
      [first, pn()],
      [second, pn()],
    ]);
    const key = { id: second, remoteJid: pn(), fromMe: true };
    await updateMessage(line.session, { key, text: 'better' });
    const phone = stage.phone(contact);
    await phone.waitFor(() => phone.messages().at(-1)?.kind === 'edit');
    expect(phone.messages().map((message) => [message.text, message.addressing])).toEqual([
      ['first', 'pn'],
      ['second', 'pn'],
      ['better', 'pn'],
    ]);
    expect(stage.retries).toEqual(['accepted']);
    expect(stage.addressed).toEqual({ lid: 1, pn: 3 });
  });

  it('a message refused with 463 at the phone number goes to the LID, with the number in peer_recipient_pn', async () => {
    stage.sandbox.world.account(contact).migrated = true;
    stage.sandbox.faults.add({ kind: 'lidOnly', number: ownNumber, times: 0 });
    const line = await stage.openLinked({ addressForm: 'pn' });
    const id = await send(line, 'hello');
    expect(line.statuses(id)).not.toContain('ERROR');
    expect(attempts()).toEqual([
      [id, pn()],
      [id, lid()],
    ]);
    expect(stage.stanzas.findLast(({ node }) => node.attrs.to === lid())?.node.attrs.peer_recipient_pn).toBe(pn());
    expect(stage.phone(contact).messages()).toMatchObject([{ text: 'hello', addressing: 'lid' }]);
    const own = stage.phone(ownNumber).messages();
    expect(own).toMatchObject([{ text: 'hello', chat: contact, fromMe: true, addressing: 'lid' }]);
    expect(stage.retries).toEqual(['accepted']);
  });

  it('an edit and a reaction refused with 463 at one address keep their kind at the other address', async () => {
    const line = await stage.openLinked();
    const id = await send(line, 'first');
    const key = { id, remoteJid: pn(), fromMe: true };
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: ownNumber });
    const { key: edit } = await updateMessage(line.session, { key, text: 'better' });
    await waitForOutcome(line, edit.id);
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: ownNumber });
    const { key: reaction } = await sendReaction(line.session, { reactionMessage: { key, reaction: '👍' } });
    await waitForOutcome(line, reaction.id);
    expect(stage.phone(contact).messages()).toMatchObject([
      { text: 'first', edited: 'better', reactions: { [ownNumber]: '👍' } },
      { kind: 'edit', addressing: 'pn' },
      // The platform accepted the edit at the number, so the reaction went to the number first.
      { kind: 'reaction', addressing: 'lid' },
    ]);
  });

  it('a burst of messages refused with 463 reaches the other address in the order of sending', async () => {
    const line = await stage.openLinked();
    await send(line, 'known');
    stage.sandbox.faults.add({ kind: 'pnOnly', number: ownNumber, times: 0 });
    const bodies = Array.from({ length: 10 }, (_, n) => `burst ${n}`);
    const sent = await Promise.all(bodies.map((body) => sendText(line.session, textBody(body))));
    await Promise.all(sent.map(({ key }) => waitForOutcome(line, key.id)));
    const phone = stage.phone(contact);
    expect(phone.messages().map((message) => message.text)).toEqual(['known', ...bodies]);
    expect(stage.retries).toEqual(bodies.map(() => 'accepted'));
  });

  it('a message refused with 463 at both addresses ends in ERROR after two attempts', async () => {
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: ownNumber, times: 0 });
    const line = await stage.openLinked();
    const id = await send(line, 'nowhere');
    expect(attempts()).toEqual([
      [id, lid()],
      [id, pn()],
    ]);
    expect(line.statuses(id)).toEqual(['ERROR']);
    expect(errorOf(line, id)).toMatchObject({ code: '463', reason: 'token_missing', key: { remoteJid: pn() } });
    expect(stage.retries).toEqual(['refused']);
    expect(stage.phone(contact).messages()).toEqual([]);
  });

  it.each([
    [
      'is restricted',
      'account_restricted',
      () =>
        stage.sandbox.restrictions.setLock(
          ownNumber,
          { reason: 'BIZ_QUALITY', until: stage.sandbox.world.now() + 3_600 },
          { isSilent: true },
        ),
    ],
    [
      'may be restricted',
      'account_restricted_or_token_missing',
      () => stage.sandbox.faults.add({ kind: 'failNext', xmlns: 'w:mex', number: ownNumber, times: 0 }),
    ],
  ])('a message refused with 463 is not sent again when the account %s', async (_, reason, arrange) => {
    arrange();
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: ownNumber });
    const line = await stage.openLinked();
    const id = await send(line, 'once');
    expect(attempts()).toEqual([[id, lid()]]);
    expect(errorOf(line, id)).toMatchObject({ code: '463', reason });
    expect(stage.retries).toEqual(['restricted']);
  });

  it('a message refused with a code other than 463 is not sent again', async () => {
    stage.sandbox.faults.add({ kind: 'nack', code: 479, number: ownNumber });
    const line = await stage.openLinked();
    const id = await send(line, 'broken');
    expect(errorOf(line, id)).toMatchObject({ code: '479' });
    expect(attempts()).toHaveLength(1);
  });

  it('a message is reported as unconfirmed when the connection closes after its retry at the other address', async () => {
    const line = await stage.openLinked();
    await send(line, 'known');
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: ownNumber });
    const retried = stage.stanza(({ node: { tag, attrs } }) => {
      if (tag !== 'message' || attrs.to !== pn()) return false;
      // This runs before the platform handles the stanza, so the platform does not acknowledge it.
      stage.sandbox.faults.add({ kind: 'close', code: 428, number: ownNumber });
      return true;
    });
    const { key } = await sendText(line.session, textBody('lost'));
    expect((await retried).node.attrs.id).toBe(key.id);
    await line.signal('closed');
    expect(line.statuses(key.id)).toEqual(['ERROR']);
    expect(errorOf(line, key.id)).toMatchObject({ code: 'SEND_INTERRUPTED', reason: 'unconfirmed' });
  });
});
