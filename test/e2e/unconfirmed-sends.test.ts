// Results of sends that the platform does not confirm. The sessions use real sockets to the sandbox.
import { describe, expect, it } from 'vitest';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { key, message, toEventBatch } from '../support/sample-rows.ts';
import { contact, instanceId, ownNumber, textBody, useStage } from './session-stage.ts';

const stage = useStage();

const storedStatuses = async (id: string) =>
  (await stage.storage.messages.statuses(instanceId, id)).map(({ status }) => status);

describe('sends to a silent platform', () => {
  it('sendText() fails with certain true when the platform does not list the devices, and stores nothing', async () => {
    const firstLine = await stage.openLinked();
    await sendText(firstLine.session, textBody('makes the number known'));
    await firstLine.session.close();
    const line = await stage.openLinked({ queryTimeout: 150 });
    stage.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    await expect(sendText(line.session, textBody('to nobody'))).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: true,
    });
    expect(line.events.filter(({ type }) => type === 'send.message')).toEqual([]);
    await line.session.close();
    const reopened = await stage.openLinked();
    await sendText(reopened.session, textBody('again'));
    const phone = stage.phone(contact);
    await phone.waitFor(() => phone.receivedCount === 2);
    expect(phone.messages().map((one) => one.text)).toEqual(['makes the number known', 'again']);
  });

  it('a message ends in ERROR as unconfirmed when the session closes before its ack', async () => {
    const line = await stage.openLinked();
    const { key: known } = await sendText(line.session, textBody('known'));
    await line.until(() => line.statuses(known.id).includes('DELIVERY_ACK'));
    stage.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    const { key } = await sendText(line.session, textBody('into silence'));
    await line.session.close();
    expect(line.events.at(-1)).toMatchObject({ key, status: 'ERROR', code: 'SEND_INTERRUPTED', reason: 'unconfirmed' });
    expect(await storedStatuses(key.id)).toEqual(['ERROR']);
    expect(line.statuses(known.id)).not.toContain('ERROR');
  });

  it('a message ends in ERROR when the connection drops before its ack, and accepts a later DELIVERY_ACK', async () => {
    const line = await stage.openLinked();
    const { key: known } = await sendText(line.session, textBody('known'));
    await line.until(() => line.statuses(known.id).includes('DELIVERY_ACK'));
    stage.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    const { key } = await sendText(line.session, textBody('cut off'));
    stage.sandbox.faults.add({ kind: 'drop', number: ownNumber });
    await line.signal('closed');
    expect(await storedStatuses(key.id)).toEqual(['ERROR']);
    const reopened = await stage.openLinked();
    await reopened.session.ingest([{ type: 'messages.update', key, status: 'DELIVERY_ACK', at: Date.now() }]);
    expect(await storedStatuses(key.id)).toEqual(['ERROR', 'DELIVERY_ACK']);
  });

  it('a message without an ack ends in ERROR as timed out on a live connection, and accepts later statuses', async () => {
    const line = await stage.openLinked({ sendTimeout: 200 });
    await sendText(line.session, textBody('makes the number known'));
    stage.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    const { key } = await sendText(line.session, textBody('no ack'));
    await line.until(() => line.statuses(key.id).includes('ERROR'));
    expect(line.session.ended.aborted).toBe(false);
    expect(line.events.at(-1)).toMatchObject({ key, status: 'ERROR', code: 'ACK_TIMEOUT', reason: 'timed_out' });
    for (const status of ['READ', 'SERVER_ACK', 'DELIVERY_ACK', 'ERROR', 'PLAYED', 'READ'] as const)
      await line.session.ingest([{ type: 'messages.update', key, status, at: Date.now() }]);
    expect(await storedStatuses(key.id)).toEqual(['ERROR', 'READ', 'PLAYED']);
    expect(await stage.storage.messages.get(instanceId, key.id)).toMatchObject({ status: 'PLAYED' });
  });
});

describe('messages that a killed process left PENDING', () => {
  it('a PENDING message of a killed process ends in ERROR at the next open, unless the platform had confirmed it', async () => {
    const pendingMessage = message('LEFT', { status: 'PENDING' });
    const confirmedMessage = message('FINE', { status: 'PENDING' });
    const confirmed = { key: confirmedMessage.key, status: 'SERVER_ACK', at: 1 } as const;
    await stage.storage.messages.record(
      instanceId,
      toEventBatch({
        messages: [pendingMessage, confirmedMessage].map((one) => ({ message: one, events: [] })),
        statuses: [{ change: confirmed, events: [] }],
      }),
    );
    const line = await stage.openLinked();
    const event = await line.until(() => line.events.find(({ type }) => type === 'messages.update'));
    expect(event).toMatchObject({ key: pendingMessage.key, status: 'ERROR', reason: 'unconfirmed' });
    expect(await storedStatuses('LEFT')).toEqual(['ERROR']);
    expect(await storedStatuses('FINE')).toEqual(['SERVER_ACK']);
  });

  it('a PENDING message of a killed process gets the status of a queued receipt, and no ERROR before it', async () => {
    const firstLine = await stage.openLinked();
    await firstLine.session.close();
    const from = `${contact}@s.whatsapp.net`;
    const pendingMessage = message('LEFT', { key: key('LEFT', { remoteJid: from, fromMe: true }), status: 'PENDING' });
    await stage.storage.messages.record(
      instanceId,
      toEventBatch({ messages: [{ message: pendingMessage, events: [] }] }),
    );
    const [device] = stage.sandbox.world.account(ownNumber).companions.values();
    if (!device) throw new Error('not linked');
    const receipts = [['EARLIER'], ['BEFORE', 'LEFT']];
    for (const ids of receipts) deliverReceipt(stage.sandbox.world, device, { from, ids });
    const line = await stage.openLinked();
    await line.until(() => line.statuses('LEFT').includes('DELIVERY_ACK'));
    expect(line.statuses('LEFT')).toEqual(['DELIVERY_ACK']);
    expect(await storedStatuses('LEFT')).toEqual(['DELIVERY_ACK']);
  });
});
