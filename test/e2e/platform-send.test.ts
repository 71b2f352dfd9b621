// Sends of a session, also to a platform that does not answer. The sessions use real sockets to the sandbox.
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { toSentMessage } from '../../src/whatsapp/outbound/send-result.ts';
import { waitFor } from '../support/wait-for.ts';
import { contact, instanceId, ownNumber, textBody, useStage } from './session-stage.ts';

const stage = useStage();

/**
 * The messages that wait for the linked device of the contact. The queue can also contain a privacy token, which the
 * session sends some time after its first message.
 */
function messagesForDevice() {
  const [device] = stage.sandbox.world.account(contact).companions.values();
  if (!device) throw new Error('the contact has no linked device');
  return device.queue.filter(({ node }) => node.tag === 'message');
}

describe('sends of a session', () => {
  it('a sent message reaches the phone, is stored, and gets its ack, delivery and read statuses in that order', async () => {
    const line = await stage.openLinked();
    const message = await sendText(line.session, textBody('hello'));
    const { id } = message.key;
    expect(toSentMessage(message)).toEqual({
      key: { remoteJid: `${contact}@s.whatsapp.net`, fromMe: true, id },
      message: { extendedTextMessage: { text: 'hello' } },
      messageTimestamp: expect.any(String),
      status: 'PENDING',
    });
    await line.until(() => line.statuses(id).includes('DELIVERY_ACK'));
    stage.phone(contact).read(ownNumber);
    await line.until(() => line.statuses(id).includes('READ'));
    expect(line.events[0]?.type).toBe('send.message');
    expect(stage.phone(contact).messages()).toMatchObject([{ id, text: 'hello', from: ownNumber }]);
    const stored = await stage.storage.messages.statuses(instanceId, id);
    expect(stored.map(({ status }) => status)).toEqual(['SERVER_ACK', 'DELIVERY_ACK', 'READ']);
  });

  it('a burst of messages to one chat keeps its order', async () => {
    const line = await stage.openLinked();
    const bodies = Array.from({ length: 30 }, (_, i) => `message ${i}`);
    await Promise.all(bodies.map((body) => sendText(line.session, textBody(body))));
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount === bodies.length);
    expect(
      stage
        .phone(contact)
        .messages()
        .map((message) => message.text),
    ).toEqual(bodies);
  });

  it('a message that the platform refuses ends in ERROR with the code and the reason', async () => {
    const line = await stage.openLinked();
    stage.sandbox.faults.add({ kind: 'nack', code: 479 });
    const { key } = await sendText(line.session, textBody('hello'));
    await line.until(() => line.statuses(key.id).length > 0);
    expect(line.events.find(({ type }) => type === 'messages.update')).toMatchObject({
      key: { id: key.id },
      status: 'ERROR',
      code: '479',
      reason: 'stanza_invalid_or_device_stale',
    });
  });

  it('sendText() rejects a number that is not on the platform, with certain true', async () => {
    const line = await stage.openLinked();
    await expect(sendText(line.session, textBody('hello', '15550000000'))).rejects.toMatchObject({
      code: 'NUMBER_NOT_ON_PLATFORM',
      certain: true,
    });
  });

  it('a reply quotes a stored message by its id', async () => {
    const line = await stage.openLinked();
    const id = await stage.phone(contact).send(ownNumber, { text: 'the question' });
    await line.until(() => line.received().length > 0);
    await sendText(line.session, { ...textBody('the answer'), options: { quoted: { key: { id } } } });
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount > 0);
    expect(stage.phone(contact).messages().at(-1)).toMatchObject({ text: 'the answer', quoted: id });
  });

  it('a message that the phone could not decrypt is sent again from the store', async () => {
    const line = await stage.openLinked();
    await sendText(line.session, textBody('one'));
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount === 1);
    const rowsBefore = new Map([...stage.keys.rows].filter(([id]) => id.startsWith('session|')));
    await sendText(line.session, textBody('two'));
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount === 2);
    // The ratchet is set back, as after a crash between send and commit. The next message repeats a used key.
    for (const [id, row] of rowsBefore) stage.keys.rows.set(id, row);
    await sendText(line.session, textBody('three'));
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount === 3);
    expect(
      stage
        .phone(contact)
        .messages()
        .map((message) => message.text),
    ).toEqual(['one', 'two', 'three']);
  });

  it('sendText() sends nothing to a contact whose signed prekey is forged, and rejects with certain true', async () => {
    const line = await stage.openLinked();
    stage.sandbox.violations.preKeySignature = true;
    await expect(sendText(line.session, textBody('secret'))).rejects.toMatchObject({
      code: 'SEND_REFUSED',
      certain: true,
    });
    expect(stage.phone(contact).messages()).toEqual([]);
    stage.sandbox.violations.preKeySignature = false;
    await sendText(line.session, textBody('for you', '15550009003'));
    await stage.phone('15550009003').waitFor(() => stage.phone('15550009003').receivedCount === 1);
  });

  it('a message still reaches the phone of a contact when a new device of the contact has a forged prekey', async () => {
    const firstLine = await stage.openLinked();
    await sendText(firstLine.session, textBody('while honest'));
    await firstLine.session.close();
    stage.sandbox.provision(contact);
    stage.sandbox.violations.preKeySignature = true;
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, textBody('to the phone'));
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount === 2);
    await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
    expect(messagesForDevice()).toEqual([]);
  });

  it('a message reaches the new device of a contact when the prekey of the device is valid', async () => {
    const firstLine = await stage.openLinked();
    await sendText(firstLine.session, textBody('to the phone'));
    await firstLine.session.close();
    stage.sandbox.provision(contact);
    const line = await stage.openLinked();
    await sendText(line.session, textBody('to both'));
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount === 2);
    await waitFor(() => expect(messagesForDevice()).toHaveLength(1));
  });
});

describe('platforms that do not answer', () => {
  it('close() of a session rejects a send that the platform has not answered, with certain true', async () => {
    const line = await stage.openLinked({ sendTimeout: 200 });
    await sendText(line.session, textBody('known'));
    stage.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    const sending = sendText(line.session, textBody('to somebody new', '15550009004'));
    const rejection = expect(sending).rejects.toMatchObject({ certain: true });
    await line.session.close();
    await rejection;
    expect(line.signals.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('a number query without an answer fails with PLATFORM_TIMEOUT, and not as an unknown number', async () => {
    const line = await stage.openLinked({ queryTimeout: 150 });
    stage.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    await expect(sendText(line.session, textBody('hello'))).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: true,
    });
  });

  it('a session reports an HTTP refusal of its connection as close code 503, also a refusal with 401', async () => {
    for (const code of [401, 403, 502]) {
      stage.sandbox.faults.add({ kind: 'http', code });
      const line = await stage.open();
      expect(await line.signal('closed')).toEqual({
        type: 'closed',
        code: 503,
        reason: `the platform refused the connection with HTTP ${code}`,
      });
    }
  });

  it('a session reports close code 428 when no server listens', async () => {
    const closedSandbox = await createSandbox({ tlsPort: false });
    await closedSandbox.close();
    const line = await stage.open({ url: closedSandbox.platformUrl });
    expect(await line.signal('closed')).toMatchObject({
      code: 428,
      reason: expect.stringContaining('WebSocket Error'),
    });
  });
});
