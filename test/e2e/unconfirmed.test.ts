// The result of a send that the platform never confirms; real sockets against the sandbox.
import { describe, expect, it } from 'vitest';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { key, message, recording } from '../storage/samples.ts';
import { instanceId, mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();

const stored = async (id: string) =>
  (await stage.storage.messages.statuses(instanceId, id)).map(({ status }) => status);

describe('a platform that goes silent', () => {
  it('fails a send to unknown devices: certain, stored nowhere, and sent when asked again', async () => {
    const first = await stage.openLinked();
    await sendText(first.session, text('makes the number known'));
    await first.session.close();
    const line = await stage.openLinked({ queryTimeout: 150 });
    stage.sandbox.faults.add({ kind: 'stall', number: mine });
    await expect(sendText(line.session, text('to nobody'))).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: true,
    });
    expect(line.events.filter(({ type }) => type === 'send.message')).toEqual([]);
    await line.session.close();
    const back = await stage.openLinked();
    await sendText(back.session, text('again'));
    const phone = stage.phone(theirs);
    await phone.waitFor(() => phone.receivedCount === 2);
    expect(phone.messages().map((one) => one.text)).toEqual(['makes the number known', 'again']);
  });

  it('ends a message in ERROR, unconfirmed, when the session ends before its ack', async () => {
    const line = await stage.openLinked();
    const { key: known } = await sendText(line.session, text('known'));
    await line.until(() => line.statuses(known.id).includes('DELIVERY_ACK'));
    stage.sandbox.faults.add({ kind: 'stall', number: mine });
    const { key } = await sendText(line.session, text('into silence'));
    await line.session.close();
    expect(line.events.at(-1)).toMatchObject({ key, status: 'ERROR', code: 'SEND_INTERRUPTED', reason: 'unconfirmed' });
    expect(await stored(key.id)).toEqual(['ERROR']);
    expect(line.statuses(known.id)).not.toContain('ERROR');
  });

  it('says so before the session is reported as closed when the connection drops between message and ack', async () => {
    const line = await stage.openLinked();
    const { key: known } = await sendText(line.session, text('known'));
    await line.until(() => line.statuses(known.id).includes('DELIVERY_ACK'));
    stage.sandbox.faults.add({ kind: 'stall', number: mine });
    const { key } = await sendText(line.session, text('cut off'));
    stage.sandbox.faults.add({ kind: 'drop', number: mine });
    await line.signal('closed');
    expect(await stored(key.id)).toEqual(['ERROR']);
    const back = await stage.openLinked();
    await back.session.ingest([{ type: 'messages.update', key, status: 'DELIVERY_ACK', at: Date.now() }]);
    expect(await stored(key.id)).toEqual(['ERROR', 'DELIVERY_ACK']);
  });

  it('ends a message in ERROR, timed out, on a connection that lives, and still believes later proof in any order', async () => {
    const line = await stage.openLinked({ sendTimeout: 200 });
    await sendText(line.session, text('makes the number known'));
    stage.sandbox.faults.add({ kind: 'stall', number: mine });
    const { key } = await sendText(line.session, text('no ack'));
    await line.until(() => line.statuses(key.id).includes('ERROR'));
    expect(line.session.ended.aborted).toBe(false);
    expect(line.events.at(-1)).toMatchObject({ key, status: 'ERROR', code: 'ACK_TIMEOUT', reason: 'timed_out' });
    for (const status of ['READ', 'SERVER_ACK', 'DELIVERY_ACK', 'ERROR', 'PLAYED', 'READ'] as const)
      await line.session.ingest([{ type: 'messages.update', key, status, at: Date.now() }]);
    expect(await stored(key.id)).toEqual(['ERROR', 'READ', 'PLAYED']);
    expect(await stage.storage.messages.get(instanceId, key.id)).toMatchObject({ status: 'PLAYED' });
  });
});

describe('a message left PENDING by a process that was killed', () => {
  it('ends in ERROR at the next open, unless the platform had confirmed it', async () => {
    const left = message('LEFT', { status: 'PENDING' });
    const fine = message('FINE', { status: 'PENDING' });
    const confirmed = { key: fine.key, status: 'SERVER_ACK', at: 1 } as const;
    await stage.storage.messages.record(
      instanceId,
      recording({
        messages: [left, fine].map((one) => ({ message: one, events: [] })),
        statuses: [{ change: confirmed, events: [] }],
      }),
    );
    const line = await stage.openLinked();
    const event = await line.until(() => line.events.find(({ type }) => type === 'messages.update'));
    expect(event).toMatchObject({ key: left.key, status: 'ERROR', reason: 'unconfirmed' });
    expect(await stored('LEFT')).toEqual(['ERROR']);
    expect(await stored('FINE')).toEqual(['SERVER_ACK']);
  });

  it('gets the status of a receipt that WhatsApp kept meanwhile, and no ERROR before it', async () => {
    const first = await stage.openLinked();
    await first.session.close();
    const from = `${theirs}@s.whatsapp.net`;
    const left = message('LEFT', { key: key('LEFT', { remoteJid: from, fromMe: true }), status: 'PENDING' });
    await stage.storage.messages.record(instanceId, recording({ messages: [{ message: left, events: [] }] }));
    const [device] = stage.sandbox.world.account(mine).companions.values();
    if (!device) throw new Error('not linked');
    const receipts = [['EARLIER'], ['BEFORE', 'LEFT']];
    for (const ids of receipts) deliverReceipt(stage.sandbox.world, device, { from, ids });
    const line = await stage.openLinked();
    await line.until(() => line.statuses('LEFT').includes('DELIVERY_ACK'));
    expect(line.statuses('LEFT')).toEqual(['DELIVERY_ACK']);
    expect(await stored('LEFT')).toEqual(['DELIVERY_ACK']);
  });
});
