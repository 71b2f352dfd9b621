// Linking, receiving, store failures and closing of sessions. The sessions use real sockets to the sandbox.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { contact, instanceId, ownNumber, textBody, useStage } from './session-stage.ts';

const stage = useStage();

describe('linking', () => {
  it('a session shows a QR code, closes with 515 after the link, and opens with the stored credentials', async () => {
    const pairing = await stage.open();
    const { code } = await pairing.signal('qr');
    expect(pairing.session.isPaired()).toBe(false);
    expect(pairing.session.me()).toBeUndefined();
    await stage.sandbox.pairing.scanQr(ownNumber, code);
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
    expect(pairing.session.isPaired()).toBe(true);
    const linkedLine = await stage.open();
    const { me } = await linkedLine.signal('open');
    expect(me).toEqual({
      jid: `${ownNumber}@s.whatsapp.net`,
      lid: expect.stringMatching(/^\d+@lid$/),
      name: expect.any(String),
    });
    expect(linkedLine.signals.map(({ type }) => type)).toEqual(['open']);
  });

  it('a link starts without the keys of an earlier account whose removal was interrupted', async () => {
    await stage.keys.set(instanceId, [{ type: 'session', id: 'old.0', value: Buffer.from('old') }]);
    const pairing = await stage.open();
    await pairing.signal('qr');
    expect((await stage.keys.get(instanceId, 'session', ['old.0'])).size).toBe(0);
  });

  it('a session links with a pairing code', async () => {
    const pairing = await stage.open();
    await pairing.signal('qr');
    const code = await pairing.session.requestPairingCode(ownNumber);
    expect(pairing.session.isPaired()).toBe(false);
    await stage.sandbox.pairing.linkWithCode(ownNumber, code);
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
    expect((await (await stage.open()).signal('open')).me.jid).toBe(`${ownNumber}@s.whatsapp.net`);
  });

  it('requestPairingCode() rejects when WhatsApp refuses it, and the next code links the session', async () => {
    const pairing = await stage.open();
    await pairing.signal('qr');
    await expect(pairing.session.requestPairingCode('')).rejects.toMatchObject({ name: 'QueryRefusal', code: 400 });
    await stage.sandbox.pairing.linkWithCode(ownNumber, await pairing.session.requestPairingCode(ownNumber));
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
  });

  it('a QR code links a session after a pairing code that was not entered', async () => {
    const first = await stage.open();
    await first.signal('qr');
    await first.session.requestPairingCode(ownNumber);
    await first.session.close();
    const second = await stage.open();
    await stage.sandbox.pairing.scanQr(ownNumber, (await second.signal('qr')).code);
    expect(await second.signal('closed')).toMatchObject({ code: 515 });
  });

  it('a session refuses a forged account signature', async () => {
    stage.sandbox.violations.accountSignature = true;
    const line = await stage.open();
    stage.sandbox.pairing.scanQr(ownNumber, (await line.signal('qr')).code).catch(() => undefined);
    expect(await line.signal('closed')).toMatchObject({ reason: 'Failed to verify account signature' });
    expect(line.session.isPaired()).toBe(false);
  });

  it('a session refuses a server whose certificate has a foreign root', async () => {
    stage.sandbox.violations.certificate = true;
    const line = await stage.open();
    expect(await line.signal('closed')).toMatchObject({
      reason: expect.stringContaining('certificate signature invalid'),
    });
    expect(line.signals).toHaveLength(1);
  });
});

describe('receiving', () => {
  it('a session reports a received message with number, LID and name, and stores it', async () => {
    const line = await stage.openLinked();
    const id = await stage.phone(contact).send(ownNumber, { text: 'hi' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message).toMatchObject({
      key: { remoteJid: `${contact}@s.whatsapp.net`, fromMe: false, id, remoteJidAlt: expect.stringMatching(/@lid$/) },
      pushName: expect.any(String),
      message: { conversation: 'hi' },
      messageType: 'conversation',
    });
    expect(await stage.storage.messages.get(instanceId, id)).toMatchObject({ message: { conversation: 'hi' } });
  });

  it('a session reports a message addressed by LID under the number, with the LID as the other address', async () => {
    const line = await stage.openLinked();
    await stage.phone(contact).send(ownNumber, { text: 'hi' }, { addressing: 'lid' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message?.key).toMatchObject({
      remoteJid: `${contact}@s.whatsapp.net`,
      remoteJidAlt: expect.stringMatching(/@lid$/),
    });
  });

  it('a session reports messages of the own phone as own messages, in the chat of the number', async () => {
    const line = await stage.openLinked();
    for (const form of ['pn', 'lid'] as const)
      await stage.phone(ownNumber).send(contact, { text: form }, { addressing: form });
    const messages = await line.until(() => line.received().length === 2 && line.received());
    for (const { key } of messages) expect(key).toMatchObject({ remoteJid: `${contact}@s.whatsapp.net`, fromMe: true });
  });

  it('a session reports all messages of its downtime in order', async () => {
    const line = await stage.openLinked();
    await line.session.close();
    for (let i = 0; i < 20; i++) await stage.phone(contact).send(ownNumber, { text: `message ${i}` });
    const reopened = await stage.openLinked();
    const messages = await reopened.until(() => reopened.received().length === 20 && reopened.received());
    expect(messages.map(({ message }) => message.conversation)).toEqual(
      Array.from({ length: 20 }, (_, i) => `message ${i}`),
    );
  });

  it('a session reports typing of a contact', async () => {
    const line = await stage.openLinked();
    stage.phone(contact).setTyping(ownNumber, 'composing');
    const event = await line.until(() => line.events.find(({ type }) => type === 'presence.update'));
    expect(event).toMatchObject({
      id: `${contact}@s.whatsapp.net`,
      presences: { [`${contact}@s.whatsapp.net`]: { lastKnownPresence: 'composing' } },
    });
  });

  it('a session does not report edits and deletions as messages', async () => {
    const line = await stage.openLinked();
    const id = await stage.phone(contact).send(ownNumber, { text: 'hi' });
    await stage.phone(contact).send(ownNumber, { edit: { id, text: 'hello' } });
    await stage.phone(contact).send(ownNumber, { delete: { id } });
    await stage.phone(contact).send(ownNumber, { text: 'last' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'last'));
    expect(line.received().map(({ message }) => message.conversation)).toEqual(['hi', 'last']);
  });
});

describe('store failures', () => {
  it('a session closes when the store fails, and the unacknowledged message arrives at the next session', async () => {
    const line = await stage.openLinked();
    stage.keys.broken = new Error('disk full');
    await stage.phone(contact).send(ownNumber, { text: 'not lost' });
    expect(await line.signal('closed')).toMatchObject({ code: 503, reason: 'storage failed' });
    expect(line.received()).toEqual([]);
    stage.keys.broken = undefined;
    const reopened = await stage.openLinked();
    expect((await reopened.until(() => reopened.received()[0])).message).toEqual(
      expect.objectContaining({ conversation: 'not lost' }),
    );
  });

  it('sendText() rejects with STORAGE_UNAVAILABLE and certain true while the store fails', async () => {
    const line = await stage.openLinked();
    stage.keys.broken = new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');
    const sending = sendText(line.session, textBody('never sent'));
    await expect(sending).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', certain: true });
    const secondSend = sendText(line.session, textBody('neither'));
    await expect(secondSend).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', certain: true });
  });

  it('a session closes when an event cannot be stored', async () => {
    const line = await stage.openLinked();
    stage.ingestFailure = new Error('disk full');
    await stage.phone(contact).send(ownNumber, { text: 'hi' });
    expect(await line.signal('closed')).toMatchObject({ code: 503, reason: 'storage failed' });
  });
});

describe('closing', () => {
  it.each([
    401, 402, 403, 405, 411, 428, 440, 500, 503, 515,
  ])('a session reports a close by the platform with code %i once, with that code', async (code) => {
    const line = await stage.openLinked();
    stage.sandbox.faults.add({ kind: 'close', code, number: ownNumber });
    expect(await line.signal('closed')).toMatchObject({ code });
    await line.session.close();
    expect(line.session.ended.aborted).toBe(true);
    expect(line.signals.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('close() of a session can be repeated, reports code 428, and does not log out', async () => {
    const line = await stage.openLinked();
    await Promise.all([line.session.close(), line.session.close()]);
    expect(line.signals.at(-1)).toEqual({ type: 'closed', code: 428, reason: 'closed by the gateway' });
    expect((await stage.openLinked()).session.me()?.jid).toBe(`${ownNumber}@s.whatsapp.net`);
  });

  it('close() of a session rejects the sends in flight', async () => {
    const line = await stage.openLinked();
    const sending = sendText(line.session, { ...textBody('hello'), options: { delay: 1_000 } });
    const rejection = expect(sending).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
    await line.session.close();
    await rejection;
  });

  it('a session reports close code 401 when the phone unlinks its device', async () => {
    const line = await stage.openLinked();
    const [companion] = stage.sandbox.world.account(ownNumber).companions.values();
    if (companion) stage.sandbox.pairing.unlink(companion);
    expect(await line.signal('closed')).toMatchObject({ code: 401 });
  });

  it('logout() of a session removes the device from the account, and the session writes no keys afterwards', async () => {
    const line = await stage.openLinked();
    await line.session.logout();
    expect(stage.sandbox.world.account(ownNumber).companions.size).toBe(0);
    expect(await line.signal('closed')).toMatchObject({ code: 401 });
    await stage.keys.wipe();
    await expect(line.session.socket.authState.keys.set({ 'lid-mapping': { a: 'b' } })).rejects.toThrow('sealed');
    expect(stage.keys.rows.size).toBe(0);
  });

  it('logout() of a session rejects with PLATFORM_TIMEOUT when the platform does not confirm it', async () => {
    const line = await stage.openLinked({ queryTimeout: 200 });
    stage.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    await expect(line.session.logout()).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    await line.signal('closed');
  });
});
