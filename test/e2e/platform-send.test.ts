// Sending through a session, and a platform that does not answer; real sockets against the sandbox.
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { toSentMessage } from '../../src/whatsapp/outbound/send-result.ts';
import { waitFor } from '../support/wait-for.ts';
import { instanceId, mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();

describe('sending', () => {
  it('reaches the phone, is stored, and is followed by ack, delivery and reading in that order', async () => {
    const line = await stage.openLinked();
    const message = await sendText(line.session, text('hello'));
    const { id } = message.key;
    expect(toSentMessage(message)).toEqual({
      key: { remoteJid: `${theirs}@s.whatsapp.net`, fromMe: true, id },
      message: { extendedTextMessage: { text: 'hello' } },
      messageTimestamp: expect.any(String),
      status: 'PENDING',
    });
    await line.until(() => line.statuses(id).includes('DELIVERY_ACK'));
    stage.phone(theirs).read(mine);
    await line.until(() => line.statuses(id).includes('READ'));
    expect(line.events[0]?.type).toBe('send.message');
    expect(stage.phone(theirs).messages()).toMatchObject([{ id, text: 'hello', from: mine }]);
    const stored = await stage.storage.messages.statuses(instanceId, id);
    expect(stored.map(({ status }) => status)).toEqual(['SERVER_ACK', 'DELIVERY_ACK', 'READ']);
  });

  it('keeps the order of a burst to one chat', async () => {
    const line = await stage.openLinked();
    const bodies = Array.from({ length: 30 }, (_, i) => `message ${i}`);
    await Promise.all(bodies.map((body) => sendText(line.session, text(body))));
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount === bodies.length);
    expect(
      stage
        .phone(theirs)
        .messages()
        .map((message) => message.text),
    ).toEqual(bodies);
  });

  it('ends in ERROR with the reason when the platform refuses the message', async () => {
    const line = await stage.openLinked();
    stage.sandbox.faults.add({ kind: 'nack', code: 479 });
    const { key } = await sendText(line.session, text('hello'));
    await line.until(() => line.statuses(key.id).length > 0);
    expect(line.events.find(({ type }) => type === 'messages.update')).toMatchObject({
      key: { id: key.id },
      status: 'ERROR',
      code: '479',
      reason: 'stanza_invalid_or_device_stale',
    });
  });

  it('says before sending that a number is not on the platform', async () => {
    const line = await stage.openLinked();
    await expect(sendText(line.session, text('hello', '15550000000'))).rejects.toMatchObject({
      code: 'NUMBER_NOT_ON_PLATFORM',
      certain: true,
    });
  });

  it('quotes a stored message by its id', async () => {
    const line = await stage.openLinked();
    const id = await stage.phone(theirs).send(mine, { text: 'the question' });
    await line.until(() => line.received().length > 0);
    await sendText(line.session, { ...text('the answer'), options: { quoted: { key: { id } } } });
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount > 0);
    expect(stage.phone(theirs).messages().at(-1)).toMatchObject({ text: 'the answer', quoted: id });
  });

  it('is answered from the store when the phone cannot decrypt and asks again', async () => {
    const line = await stage.openLinked();
    await sendText(line.session, text('one'));
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount === 1);
    const before = new Map([...stage.keys.rows].filter(([id]) => id.startsWith('session|')));
    await sendText(line.session, text('two'));
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount === 2);
    // The ratchet falls back, as after a crash between send and commit: the next message repeats a key already used.
    for (const [id, row] of before) stage.keys.rows.set(id, row);
    await sendText(line.session, text('three'));
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount === 3);
    expect(
      stage
        .phone(theirs)
        .messages()
        .map((message) => message.text),
    ).toEqual(['one', 'two', 'three']);
  });

  it('encrypts nothing for a contact whose signed pre-key is forged, certain that it did not', async () => {
    const line = await stage.openLinked();
    stage.sandbox.violations.preKeySignature = true;
    await expect(sendText(line.session, text('secret'))).rejects.toMatchObject({ code: 'SEND_REFUSED', certain: true });
    expect(stage.phone(theirs).messages()).toEqual([]);
    stage.sandbox.violations.preKeySignature = false;
    await sendText(line.session, text('for you', '15550009003'));
    await stage.phone('15550009003').waitFor(() => stage.phone('15550009003').receivedCount === 1);
  });

  it('still reaches the phone of a contact when its new device has a forged pre-key', async () => {
    const first = await stage.openLinked();
    await sendText(first.session, text('while honest'));
    await first.session.close();
    stage.sandbox.provision(theirs);
    stage.sandbox.violations.preKeySignature = true;
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, text('to the phone'));
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount === 2);
    await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
    const [device] = stage.sandbox.world.account(theirs).companions.values();
    expect(device?.queue).toEqual([]);
  });

  it('reaches the new device of a contact when its pre-key is good', async () => {
    const first = await stage.openLinked();
    await sendText(first.session, text('to the phone'));
    await first.session.close();
    stage.sandbox.provision(theirs);
    const line = await stage.openLinked();
    await sendText(line.session, text('to both'));
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount === 2);
    const [device] = stage.sandbox.world.account(theirs).companions.values();
    await waitFor(() => expect(device?.queue).toHaveLength(1));
  });
});

describe('a platform that does not answer', () => {
  it('makes a send uncertain in time, and closing does not wait for it', async () => {
    const line = await stage.openLinked({ sendTimeout: 200 });
    await sendText(line.session, text('known'));
    stage.sandbox.faults.add({ kind: 'stall', number: mine });
    const answered = sendText(line.session, text('to somebody new', '15550009004'));
    const rejected = expect(answered).rejects.toMatchObject({ certain: true });
    await line.session.close();
    await rejected;
    expect(line.signals.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('makes a question about a number a timeout and not a "no"', async () => {
    const line = await stage.openLinked({ queryTimeout: 150 });
    stage.sandbox.faults.add({ kind: 'stall', number: mine });
    await expect(sendText(line.session, text('hello'))).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: true,
    });
  });

  it('is noticed at once when it refuses the connection by HTTP, and never taken for its own 401', async () => {
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

  it('is a plain close when no server listens', async () => {
    const gone = await createSandbox({ tlsPort: false });
    await gone.close();
    const line = await stage.open({ url: gone.platformUrl });
    expect(await line.signal('closed')).toMatchObject({
      code: 428,
      reason: expect.stringContaining('WebSocket Error'),
    });
  });
});
