// Sessions as the lifecycle opens them: linking, receiving, failing stores, closing; real sockets against the sandbox.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { instanceId, mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();

describe('linking', () => {
  it('shows a QR, closes with 515 once the credentials are stored, and opens with them', async () => {
    const pairing = await stage.open();
    const { code } = await pairing.signal('qr');
    expect(pairing.session.isPaired()).toBe(false);
    expect(pairing.session.me()).toBeUndefined();
    await stage.sandbox.pairing.scanQr(mine, code);
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
    expect(pairing.session.isPaired()).toBe(true);
    const opened = await stage.open();
    const { me } = await opened.signal('open');
    expect(me).toEqual({
      jid: `${mine}@s.whatsapp.net`,
      lid: expect.stringMatching(/^\d+@lid$/),
      name: expect.any(String),
    });
    expect(opened.signals.map(({ type }) => type)).toEqual(['open']);
  });

  it('begins without the keys of an earlier account whose removal was interrupted', async () => {
    await stage.keys.set(instanceId, [{ type: 'session', id: 'old.0', value: Buffer.from('old') }]);
    const pairing = await stage.open();
    await pairing.signal('qr');
    expect((await stage.keys.get(instanceId, 'session', ['old.0'])).size).toBe(0);
  });

  it('works with a pairing code too', async () => {
    const pairing = await stage.open();
    await pairing.signal('qr');
    const code = await pairing.session.requestPairingCode(mine);
    expect(pairing.session.isPaired()).toBe(false);
    await stage.sandbox.pairing.linkWithCode(mine, code);
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
    expect((await (await stage.open()).signal('open')).me.jid).toBe(`${mine}@s.whatsapp.net`);
  });

  it('gives no pairing code that WhatsApp refused, and links with the next one', async () => {
    const pairing = await stage.open();
    await pairing.signal('qr');
    await expect(pairing.session.requestPairingCode('')).rejects.toMatchObject({ name: 'QueryRefusal', code: 400 });
    await stage.sandbox.pairing.linkWithCode(mine, await pairing.session.requestPairingCode(mine));
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
  });

  it('starts again after a pairing code that was not typed', async () => {
    const first = await stage.open();
    await first.signal('qr');
    await first.session.requestPairingCode(mine);
    await first.session.close();
    const second = await stage.open();
    await stage.sandbox.pairing.scanQr(mine, (await second.signal('qr')).code);
    expect(await second.signal('closed')).toMatchObject({ code: 515 });
  });

  it('refuses a forged account signature', async () => {
    stage.sandbox.violations.accountSignature = true;
    const line = await stage.open();
    stage.sandbox.pairing.scanQr(mine, (await line.signal('qr')).code).catch(() => undefined);
    expect(await line.signal('closed')).toMatchObject({ reason: 'Failed to verify account signature' });
    expect(line.session.isPaired()).toBe(false);
  });

  it('refuses a server whose certificate has a foreign root', async () => {
    stage.sandbox.violations.certificate = true;
    const line = await stage.open();
    expect(await line.signal('closed')).toMatchObject({
      reason: expect.stringContaining('certificate signature invalid'),
    });
    expect(line.signals).toHaveLength(1);
  });
});

describe('receiving', () => {
  it('reports messages with number, LID and name', async () => {
    const line = await stage.openLinked();
    const id = await stage.phone(theirs).send(mine, { text: 'hi' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message).toMatchObject({
      key: { remoteJid: `${theirs}@s.whatsapp.net`, fromMe: false, id, remoteJidAlt: expect.stringMatching(/@lid$/) },
      pushName: expect.any(String),
      message: { conversation: 'hi' },
      messageType: 'conversation',
    });
    expect(await stage.storage.messages.get(instanceId, id)).toMatchObject({ message: { conversation: 'hi' } });
  });

  it('puts the number first when the platform addresses by LID', async () => {
    const line = await stage.openLinked();
    await stage.phone(theirs).send(mine, { text: 'hi' }, { addressing: 'lid' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message?.key).toMatchObject({
      remoteJid: `${theirs}@s.whatsapp.net`,
      remoteJidAlt: expect.stringMatching(/@lid$/),
    });
  });

  it('reports what the own phone sent, as ours, in the right chat', async () => {
    const line = await stage.openLinked();
    for (const form of ['pn', 'lid'] as const)
      await stage.phone(mine).send(theirs, { text: form }, { addressing: form });
    const messages = await line.until(() => line.received().length === 2 && line.received());
    for (const { key } of messages) expect(key).toMatchObject({ remoteJid: `${theirs}@s.whatsapp.net`, fromMe: true });
  });

  it('reports everything that arrived while it was away, in order', async () => {
    const line = await stage.openLinked();
    await line.session.close();
    for (let i = 0; i < 20; i++) await stage.phone(theirs).send(mine, { text: `message ${i}` });
    const back = await stage.openLinked();
    const messages = await back.until(() => back.received().length === 20 && back.received());
    expect(messages.map(({ message }) => message.conversation)).toEqual(
      Array.from({ length: 20 }, (_, i) => `message ${i}`),
    );
  });

  it('reports typing', async () => {
    const line = await stage.openLinked();
    stage.phone(theirs).setTyping(mine, 'composing');
    const event = await line.until(() => line.events.find(({ type }) => type === 'presence.update'));
    expect(event).toMatchObject({
      id: `${theirs}@s.whatsapp.net`,
      presences: { [`${theirs}@s.whatsapp.net`]: { lastKnownPresence: 'composing' } },
    });
  });

  it('leaves edits and deletions out instead of calling them messages', async () => {
    const line = await stage.openLinked();
    const id = await stage.phone(theirs).send(mine, { text: 'hi' });
    await stage.phone(theirs).send(mine, { edit: { id, text: 'hello' } });
    await stage.phone(theirs).send(mine, { delete: { id } });
    await stage.phone(theirs).send(mine, { text: 'last' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'last'));
    expect(line.received().map(({ message }) => message.conversation)).toEqual(['hi', 'last']);
  });
});

describe('a store that fails', () => {
  it('ends the session before a message is acknowledged, and the message comes again', async () => {
    const line = await stage.openLinked();
    stage.keys.broken = new Error('disk full');
    await stage.phone(theirs).send(mine, { text: 'not lost' });
    expect(await line.signal('closed')).toMatchObject({ code: 503, reason: 'storage failed' });
    expect(line.received()).toEqual([]);
    stage.keys.broken = undefined;
    const back = await stage.openLinked();
    expect((await back.until(() => back.received()[0])).message).toEqual(
      expect.objectContaining({ conversation: 'not lost' }),
    );
  });

  it('is the reason why a message is not sent', async () => {
    const line = await stage.openLinked();
    stage.keys.broken = new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');
    const sending = sendText(line.session, text('never sent'));
    await expect(sending).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', certain: true });
    const next = sendText(line.session, text('neither'));
    await expect(next).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', certain: true });
  });

  it('ends the session when an event cannot be stored', async () => {
    const line = await stage.openLinked();
    stage.ingestFailure = new Error('disk full');
    await stage.phone(theirs).send(mine, { text: 'hi' });
    expect(await line.signal('closed')).toMatchObject({ code: 503, reason: 'storage failed' });
  });
});

describe('closing', () => {
  it.each([
    401, 402, 403, 405, 411, 428, 440, 500, 503, 515,
  ])('by the platform with %i is reported once with that code', async (code) => {
    const line = await stage.openLinked();
    stage.sandbox.faults.add({ kind: 'close', code, number: mine });
    expect(await line.signal('closed')).toMatchObject({ code });
    await line.session.close();
    expect(line.session.ended.aborted).toBe(true);
    expect(line.signals.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('by us leaves no connection, is not a logout, and can be repeated', async () => {
    const line = await stage.openLinked();
    await Promise.all([line.session.close(), line.session.close()]);
    expect(line.signals.at(-1)).toEqual({ type: 'closed', code: 428, reason: 'closed by the gateway' });
    expect((await stage.openLinked()).session.me()?.jid).toBe(`${mine}@s.whatsapp.net`);
  });

  it('ends the sends in flight', async () => {
    const line = await stage.openLinked();
    const sent = sendText(line.session, { ...text('hello'), options: { delay: 1_000 } });
    const rejected = expect(sent).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
    await line.session.close();
    await rejected;
  });

  it('by the phone that unlinks it is 401', async () => {
    const line = await stage.openLinked();
    const [companion] = stage.sandbox.world.account(mine).companions.values();
    if (companion) stage.sandbox.pairing.unlink(companion);
    expect(await line.signal('closed')).toMatchObject({ code: 401 });
  });

  it('by logout removes the device from the account, and nothing is written afterwards', async () => {
    const line = await stage.openLinked();
    await line.session.logout();
    expect(stage.sandbox.world.account(mine).companions.size).toBe(0);
    expect(await line.signal('closed')).toMatchObject({ code: 401 });
    await stage.keys.wipe();
    await expect(line.session.socket.authState.keys.set({ 'lid-mapping': { a: 'b' } })).rejects.toThrow('sealed');
    expect(stage.keys.rows.size).toBe(0);
  });

  it('by logout says so when the platform does not confirm', async () => {
    const line = await stage.openLinked({ queryTimeout: 200 });
    stage.sandbox.faults.add({ kind: 'stall', number: mine });
    await expect(line.session.logout()).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    await line.signal('closed');
  });
});
