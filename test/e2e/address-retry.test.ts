// A message that WhatsApp refuses with 463 although the account is not restricted goes to the other address, once.
import { describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { updateMessage } from '../../src/whatsapp/message/edit.ts';
import { sendReaction } from '../../src/whatsapp/message/reaction.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { type Line, mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();

const pn = () => pnJid(stage.phone(theirs).account);
const lid = () => lidJid(stage.phone(theirs).account);

/** The message stanzas of `mine` to `theirs`: id and address. */
const written = () =>
  stage.stanzas.flatMap(({ number, node: { tag, attrs } }) =>
    number === mine && tag === 'message' && [pn(), lid()].includes(attrs.to ?? '') ? [[attrs.id, attrs.to]] : [],
  );

const settled = (line: Line, id: string) =>
  line.until(() => line.statuses(id).find((status) => status === 'DELIVERY_ACK' || status === 'ERROR'));

const errorOf = (line: Line, id: string) =>
  line.events.find((event) => event.type === 'messages.update' && event.key.id === id && event.status === 'ERROR');

async function send(line: Line, body: string): Promise<string> {
  const { key } = await sendText(line.session, text(body));
  await settled(line, key.id);
  return key.id;
}

describe('a message refused with 463', () => {
  it('at the LID is sent to the number under the same id, and the next ones go there at once', async () => {
    stage.sandbox.faults.add({ kind: 'pnOnly', number: mine, times: 0 });
    const line = await stage.openLinked();
    const first = await send(line, 'first');
    expect(line.statuses(first)).not.toContain('ERROR');
    const second = await send(line, 'second');
    expect(written()).toEqual([
      [first, lid()],
      [first, pn()],
      [second, pn()],
    ]);
    const key = { id: second, remoteJid: pn(), fromMe: true };
    await updateMessage(line.session, { key, text: 'better' });
    const phone = stage.phone(theirs);
    await phone.waitFor(() => phone.messages().at(-1)?.kind === 'edit');
    expect(phone.messages().map((message) => [message.text, message.addressing])).toEqual([
      ['first', 'pn'],
      ['second', 'pn'],
      ['better', 'pn'],
    ]);
    expect(stage.retries).toEqual(['accepted']);
    expect(stage.addressed).toEqual({ lid: 1, pn: 3 });
  });

  it('at the number is sent to the LID, with the number as the other address', async () => {
    stage.sandbox.world.account(theirs).migrated = true;
    stage.sandbox.faults.add({ kind: 'lidOnly', number: mine, times: 0 });
    const line = await stage.openLinked({ addressForm: 'pn' });
    const id = await send(line, 'hello');
    expect(line.statuses(id)).not.toContain('ERROR');
    expect(written()).toEqual([
      [id, pn()],
      [id, lid()],
    ]);
    expect(stage.stanzas.findLast(({ node }) => node.attrs.to === lid())?.node.attrs.peer_recipient_pn).toBe(pn());
    expect(stage.phone(theirs).messages()).toMatchObject([{ text: 'hello', addressing: 'lid' }]);
    const own = stage.phone(mine).messages();
    expect(own).toMatchObject([{ text: 'hello', chat: theirs, fromMe: true, addressing: 'lid' }]);
    expect(stage.retries).toEqual(['accepted']);
  });

  it('keeps what it is: an edit stays an edit, a reaction a reaction', async () => {
    const line = await stage.openLinked();
    const id = await send(line, 'first');
    const key = { id, remoteJid: pn(), fromMe: true };
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: mine });
    const { key: edit } = await updateMessage(line.session, { key, text: 'better' });
    await settled(line, edit.id);
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: mine });
    const { key: reaction } = await sendReaction(line.session, { reactionMessage: { key, reaction: '👍' } });
    await settled(line, reaction.id);
    expect(stage.phone(theirs).messages()).toMatchObject([
      { text: 'first', edited: 'better', reactions: { [mine]: '👍' } },
      { kind: 'edit', addressing: 'pn' },
      // The number was accepted, so the reaction went there first.
      { kind: 'reaction', addressing: 'lid' },
    ]);
  });

  it('keeps its place among several that are refused', async () => {
    const line = await stage.openLinked();
    await send(line, 'known');
    stage.sandbox.faults.add({ kind: 'pnOnly', number: mine, times: 0 });
    const bodies = Array.from({ length: 10 }, (_, n) => `burst ${n}`);
    const sent = await Promise.all(bodies.map((body) => sendText(line.session, text(body))));
    await Promise.all(sent.map(({ key }) => settled(line, key.id)));
    const phone = stage.phone(theirs);
    expect(phone.messages().map((message) => message.text)).toEqual(['known', ...bodies]);
    expect(stage.retries).toEqual(bodies.map(() => 'accepted'));
  });

  it('at both addresses ends in ERROR after two attempts', async () => {
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: mine, times: 0 });
    const line = await stage.openLinked();
    const id = await send(line, 'nowhere');
    expect(written()).toEqual([
      [id, lid()],
      [id, pn()],
    ]);
    expect(line.statuses(id)).toEqual(['ERROR']);
    expect(errorOf(line, id)).toMatchObject({ code: '463', reason: 'token_missing', key: { remoteJid: pn() } });
    expect(stage.retries).toEqual(['refused']);
    expect(stage.phone(theirs).messages()).toEqual([]);
  });

  it.each([
    [
      'is restricted',
      'account_restricted',
      () =>
        stage.sandbox.restrictions.setLock(
          mine,
          { reason: 'BIZ_QUALITY', until: stage.sandbox.world.now() + 3_600 },
          { isSilent: true },
        ),
    ],
    [
      'may be restricted',
      'account_restricted_or_token_missing',
      () => stage.sandbox.faults.add({ kind: 'failNext', xmlns: 'w:mex', number: mine, times: 0 }),
    ],
  ])('is not sent again when the account %s', async (_, reason, arrange) => {
    arrange();
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: mine });
    const line = await stage.openLinked();
    const id = await send(line, 'once');
    expect(written()).toEqual([[id, lid()]]);
    expect(errorOf(line, id)).toMatchObject({ code: '463', reason });
    expect(stage.retries).toEqual(['restricted']);
  });

  it('is not sent again when it was refused for another reason', async () => {
    stage.sandbox.faults.add({ kind: 'nack', code: 479, number: mine });
    const line = await stage.openLinked();
    const id = await send(line, 'broken');
    expect(errorOf(line, id)).toMatchObject({ code: '479' });
    expect(written()).toHaveLength(1);
  });

  it('is unconfirmed when the connection is lost after it was sent again', async () => {
    const line = await stage.openLinked();
    await send(line, 'known');
    stage.sandbox.faults.add({ kind: 'nack', code: 463, number: mine });
    const again = stage.stanza(({ node: { tag, attrs } }) => {
      if (tag !== 'message' || attrs.to !== pn()) return false;
      // Before the platform handles the stanza, so that it is not acknowledged.
      stage.sandbox.faults.add({ kind: 'close', code: 428, number: mine });
      return true;
    });
    const { key } = await sendText(line.session, text('lost'));
    expect((await again).node.attrs.id).toBe(key.id);
    await line.signal('closed');
    expect(line.statuses(key.id)).toEqual(['ERROR']);
    expect(errorOf(line, key.id)).toMatchObject({ code: 'SEND_INTERRUPTED', reason: 'unconfirmed' });
  });
});
