import { setImmediate } from 'node:timers/promises';
import { jidNormalizedUser, proto } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeKeys } from '../../support/session-fakes.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  encodePadded,
  encryptMessage,
  encryptText,
  group,
  inboundRows,
  openSession,
  stanza,
} from './buffer-session.ts';

describe('decrypted messages', () => {
  it('the inbound buffer writes a message in the transaction of its ratchet step', async () => {
    const keys = new FakeKeys();
    const { auth, inbound, decrypt } = await openSession(keys);
    const content = encryptText('hello');
    inbound.onStanza(stanza('A1', ['skmsg', content]));
    await decrypt(content);
    await auth.waitForWrites();
    expect(keys.transactions.map((writes) => writes.map(({ type }) => type).toSorted())).toEqual([
      ['inbound', 'session'],
    ]);
  });

  it('the inbound buffer reports a message after a crash without decrypting it again', async () => {
    const keys = new FakeKeys();
    const usedCiphertexts = new Set<string>();
    const first = await openSession(keys, usedCiphertexts);
    const content = encryptText('hello');
    first.inbound.onStanza(stanza('A1', ['skmsg', content]));
    await first.decrypt(content);
    await first.auth.waitForWrites();

    const next = await openSession(keys, usedCiphertexts);
    const [reported] = await next.resume();
    expect(reported?.[0]).toMatchObject({
      key: { remoteJid: group, participant: '222@lid', id: 'A1' },
      message: { conversation: 'hello' },
      messageTimestamp: 1_700_000_000,
    });
    const resentContent = Buffer.from(content);
    next.inbound.onStanza(stanza('A1', ['skmsg', resentContent]));
    expect(Buffer.from(await next.decrypt(resentContent))).toEqual(encodePadded({ conversation: 'hello' }));
  });

  it('the inbound buffer keeps the order of messages of the same second across sessions', async () => {
    const keys = new FakeKeys();
    const first = await openSession(keys);
    const ids = ['A1', 'A2', 'A3'];
    for (const id of ids) await first.receive(id);
    await first.auth.waitForWrites();
    const reversedRows = [...keys.rows].toReversed();
    keys.rows.clear();
    for (const [key, value] of reversedRows) keys.rows.set(key, value);
    const next = await openSession(keys);
    expect((await next.resume()).map(([message]) => message.key?.id)).toEqual(ids);
  });

  it('the inbound buffer marks a new message as offline while offline messages wait', async () => {
    const { inbound, decrypt } = await openSession(new FakeKeys());
    const receiveStanza = (id: string, isOffline: boolean) => {
      const content = encryptText(id);
      const node = stanza(id, ['skmsg', content]);
      if (isOffline) node.attrs.offline = '3';
      inbound.onStanza(node);
      return { node, content };
    };
    const offlineMessages = ['A1', 'A2'].map((id) => receiveStanza(id, true));
    const newMessage = receiveStanza('B1', false);
    expect(newMessage.node.attrs.offline).toBeDefined();
    for (const { content } of [...offlineMessages, newMessage]) await decrypt(content);
    expect(receiveStanza('B2', false).node.attrs.offline).toBeUndefined();
  });

  it('the inbound buffer reports own protocol messages only after the login', async () => {
    const keys = new FakeKeys();
    const usedCiphertexts = new Set<string>();
    const first = await openSession(keys, usedCiphertexts);
    const type = proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION;
    const historyNotice = encryptMessage({ protocolMessage: { type, historySyncNotification: { syncType: 3 } } });
    const fromPhone = stanza('A1', ['skmsg', historyNotice]);
    Object.assign(fromPhone.attrs, { participant: jidNormalizedUser(first.auth.creds.me?.lid) });
    first.inbound.onStanza(fromPhone);
    await first.decrypt(historyNotice);
    await first.auth.waitForWrites();

    const next = await openSession(keys, usedCiphertexts);
    const reported = await next.resume();
    expect(reported).toEqual([]);
    next.ws.emit('CB:success');
    await waitFor(() => expect(reported).toHaveLength(1));
  });

  it('the inbound buffer does not report a message before all its parts are decrypted', async () => {
    const keys = new FakeKeys();
    const usedCiphertexts = new Set<string>();
    const first = await openSession(keys, usedCiphertexts);
    const [one, two] = [encryptText('keys'), encryptText('text')];
    first.inbound.onStanza(stanza('A1', ['pkmsg', one], ['skmsg', two]));
    await first.decrypt(one);
    await first.auth.waitForWrites();
    const second = await openSession(keys, usedCiphertexts);
    expect(await second.resume()).toEqual([]);
    second.inbound.onStanza(stanza('A1', ['pkmsg', one], ['skmsg', two]));
    await second.decrypt(one);
    await second.decrypt(two);
    await second.auth.waitForWrites();
    expect(await (await openSession(keys, usedCiphertexts)).resume()).toHaveLength(1);
  });

  it('the inbound buffer removes a row with the first write after its event is stored', async () => {
    const keys = new FakeKeys();
    const { auth, inbound, decrypt } = await openSession(keys);
    const [one, two] = [encryptText('one'), encryptText('two')];
    inbound.onStanza(stanza('A1', ['skmsg', one]));
    inbound.onStanza(stanza('A2', ['skmsg', two]));
    await decrypt(one);
    inbound.markStored([{ key: { id: 'A1' } }]);
    await auth.waitForWrites();
    expect(inboundRows(keys)).toHaveLength(1);
    await decrypt(two);
    await auth.waitForWrites();
    expect(inboundRows(keys)).toHaveLength(1);
    inbound.markStored([{ key: { id: 'A2' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
  });

  it('messages of one event-loop turn share a row that stays until all of them are stored', async () => {
    const keys = new FakeKeys();
    const usedCiphertexts = new Set<string>();
    const { auth, inbound, decrypt } = await openSession(keys, usedCiphertexts);
    const contents = ['A1', 'A2', 'A3'].map((id) => {
      const content = encryptText(id);
      inbound.onStanza(stanza(id, ['skmsg', content]));
      return content;
    });
    for (const content of contents) await decrypt(content);
    await auth.waitForWrites();
    expect(inboundRows(keys)).toHaveLength(1);
    inbound.markStored([{ key: { id: 'A1' } }, { key: { id: 'A3' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    const next = await openSession(keys, usedCiphertexts);
    expect((await next.resume()).map(([message]) => message.key?.id)).toContain('A2');
    const resentContent = Buffer.from(contents[1] ?? []);
    next.inbound.onStanza(stanza('A2', ['skmsg', resentContent]));
    expect(Buffer.from(await next.decrypt(resentContent))).toEqual(encodePadded({ conversation: 'A2' }));
    inbound.markStored([{ key: { id: 'A2' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
  });

  it('a shared row contains its first message in the format of older releases', async () => {
    const keys = new FakeKeys();
    const { auth, receive } = await openSession(keys);
    for (const id of ['A1', 'A2']) await receive(id);
    await auth.waitForWrites();
    const [row] = [...keys.rows].filter(([key]) => key.startsWith('inbound|')).map(([, value]) => value);
    const { stanza: attrs, plaintext } = JSON.parse(Buffer.from(row ?? []).toString());
    expect(attrs.id).toBe('A1');
    expect(Buffer.from(plaintext, 'base64')).toEqual(encodePadded({ conversation: 'A1' }));
  });

  it('the inbound buffer stores messages of different event-loop turns in separate rows', async () => {
    const keys = new FakeKeys();
    const { auth, receive } = await openSession(keys);
    for (const id of ['A1', 'A2']) {
      await receive(id);
      await setImmediate();
    }
    await auth.waitForWrites();
    expect(inboundRows(keys)).toHaveLength(2);
  });

  it('the inbound buffer reads the rows of older releases', async () => {
    const keys = new FakeKeys();
    const usedCiphertexts = new Set<string>();
    const first = await openSession(keys, usedCiphertexts);
    const content = encryptText('hello');
    first.inbound.onStanza(stanza('A1', ['skmsg', content]));
    await first.decrypt(content);
    await first.auth.waitForWrites();
    for (const [key, value] of keys.rows) {
      if (!key.startsWith('inbound|')) continue;
      const { id: _, ...part } = JSON.parse(Buffer.from(value).toString());
      keys.rows.set(key, Buffer.from(JSON.stringify(part)));
    }
    const next = await openSession(keys, usedCiphertexts);
    expect((await next.resume()).map(([message]) => message.key?.id)).toEqual(['A1']);
    const resentContent = Buffer.from(content);
    next.inbound.onStanza(stanza('A1', ['skmsg', resentContent]));
    expect(Buffer.from(await next.decrypt(resentContent))).toEqual(encodePadded({ conversation: 'hello' }));
    next.inbound.markStored([{ key: { id: 'A1' } }]);
    next.inbound.removeStoredRows();
    await next.auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
  });

  it('the inbound buffer stores nothing for a message that cannot be decrypted', async () => {
    const keys = new FakeKeys();
    const content = encryptText('hello');
    const { auth, inbound, decrypt } = await openSession(keys, new Set([content.toString('hex')]));
    inbound.onStanza(stanza('A1', ['skmsg', content]));
    await expect(decrypt(content)).rejects.toThrow('no matching session');
    await auth.waitForWrites();
    expect(keys.transactions).toEqual([]);
  });
});

describe('decrypted messages whose processing fails', () => {
  const unprocessable = encryptMessage({ reactionMessage: { text: 'x' } });
  const fail = () => {
    throw new TypeError('in work');
  };

  it('a message that cannot be processed is reported as unprocessable and leaves the buffer', async () => {
    const keys = new FakeKeys();
    const { resume, runTurn, unprocessableReports, inbound, auth, upsertMessage } = await openSession(keys);
    await resume();
    await runTurn('P1', [unprocessable], fail);
    expect(unprocessableReports()).toEqual([[expect.stringMatching(/^TypeError: Cannot/), 'P1']]);
    expect(upsertMessage).not.toHaveBeenCalled();
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
  });

  it.each([
    ['own number', '5511900000001:0@s.whatsapp.net', true],
    ['own LID', '111:0@lid', true],
    ['LID of another person', '222:0@lid', false],
  ])('the key of an unprocessable message from the %s (%s) has fromMe: %s', async (_, participant, fromMe) => {
    const { resume, runTurn, unprocessableKeys } = await openSession(new FakeKeys());
    await resume();
    await runTurn('P1', [encryptText('text'), encryptText('keys')], fail, { participant });
    expect(unprocessableKeys()).toEqual([{ id: 'P1', remoteJid: group, fromMe, participant }]);
  });

  it('a decrypted message is reported in its turn when a later step of its processing fails', async () => {
    const { resume, runTurn, unprocessableReports, upsertMessage } = await openSession(new FakeKeys());
    await resume();
    await runTurn('A1', [encryptText('hello')], fail);
    expect(upsertMessage.mock.calls).toMatchObject([
      [{ key: { id: 'A1' }, message: { conversation: 'hello' } }, 'append'],
    ]);
    expect(unprocessableReports()).toEqual([]);
  });

  it('a message is not reported twice when its processing fails after its event', async () => {
    const { resume, runTurn, unprocessableReports, upsertMessage, ev } = await openSession(new FakeKeys());
    await resume();
    await runTurn('A1', [encryptText('hello')], () => {
      ev.emit('messages.upsert', { messages: [{ key: { id: 'A1' } }], type: 'notify' });
      fail();
    });
    expect(upsertMessage).not.toHaveBeenCalled();
    expect(unprocessableReports()).toEqual([]);
  });

  it('a failed message is reported by the next session when its own session has ended', async () => {
    const keys = new FakeKeys();
    const usedCiphertexts = new Set<string>();
    const first = await openSession(keys, usedCiphertexts);
    await first.resume();
    first.ended.abort();
    await first.runTurn('P1', [unprocessable], fail);
    expect(first.unprocessableReports()).toEqual([]);
    const second = await openSession(keys, usedCiphertexts);
    await second.resume();
    expect(second.unprocessableReports()).toMatchObject([[expect.anything(), 'P1']]);
  });

  it('a message that Baileys acknowledges without an event leaves the buffer', async () => {
    const keys = new FakeKeys();
    const { resume, runTurn, unprocessableReports, inbound, auth, upsertMessage } = await openSession(keys);
    await resume();
    await runTurn('A1', [encryptText('text'), encryptText('keys')], () => undefined);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
    expect(upsertMessage).not.toHaveBeenCalled();
    expect(unprocessableReports()).toEqual([]);
  });

  it('a message with a damaged part stays in the buffer until its event is stored', async () => {
    const keys = new FakeKeys();
    const { resume, runTurn, inbound, auth, ev } = await openSession(keys);
    await resume();
    await runTurn('A1', [encryptText('text'), encryptText('keys')], () => {
      ev.emit('messages.upsert', { messages: [{ key: { id: 'A1' } }], type: 'notify' });
    });
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(inboundRows(keys)).toHaveLength(1);
    inbound.markStored([{ key: { id: 'A1' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
  });

  it('a failed message with a damaged part is reported as unprocessable', async () => {
    const keys = new FakeKeys();
    const { resume, runTurn, unprocessableReports, inbound, auth, upsertMessage } = await openSession(keys);
    await resume();
    await runTurn('A1', [encryptText('text'), encryptText('keys')], fail);
    expect(unprocessableReports()).toEqual([['TypeError: in work', 'A1']]);
    expect(upsertMessage).not.toHaveBeenCalled();
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
  });

  it('an unprocessable message of an older release is reported, and the other messages are resumed', async () => {
    const keys = new FakeKeys();
    const usedCiphertexts = new Set<string>();
    const first = await openSession(keys, usedCiphertexts);
    for (const [id, content] of [
      ['A1', encryptText('one')],
      ['P1', unprocessable],
      ['A2', encryptText('two')],
    ] as const) {
      first.inbound.onStanza(stanza(id, ['skmsg', content]));
      await first.decrypt(content);
    }
    await first.auth.waitForWrites();
    const second = await openSession(keys, usedCiphertexts);
    expect((await second.resume()).map(([{ key }]) => key?.id)).toEqual(['A1', 'A2']);
    expect(second.unprocessableReports()).toMatchObject([[expect.anything(), 'P1']]);
    second.inbound.markStored([{ key: { id: 'A1' } }, { key: { id: 'A2' } }]);
    second.inbound.removeStoredRows();
    await second.auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
  });
});

describe('stored messages whose reconstruction never ends', () => {
  /** Opens a session with two stored messages. The lookup of the other address of the second author never ends. */
  async function openHangingSession() {
    const keys = new FakeKeys();
    for (const id of ['A1', 'A2']) {
      const attrs = { ...stanza(id).attrs, participant: '4915112345678@s.whatsapp.net' };
      const plaintext = encodePadded({ conversation: id }).toString('base64');
      const part = { stanza: attrs, enc: { v: '2', type: 'skmsg' }, index: 0, of: 1, plaintext };
      keys.rows.set(`inbound|${id}`, Buffer.from(JSON.stringify(part)));
    }
    const next = await openSession(keys);
    next.lidMapping.getLIDForPN.mockResolvedValueOnce(null).mockReturnValue(new Promise(() => undefined));
    return { keys, next };
  }

  it('a stored message whose reconstruction never ends does not block the end of the session', async () => {
    const { next } = await openHangingSession();
    const whenResumed = next.resume();
    next.ended.abort();
    await whenResumed;
    expect(next.unprocessableReports()).toEqual([]);
  });

  it('a stored message whose reconstruction never ends stays stored, and the session continues without it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { keys, next } = await openHangingSession();
    const whenResumed = next.resume();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await whenResumed).map(([{ key }]) => key?.id)).toEqual(['A1']);
    expect(next.unprocessableReports()).toEqual([]);
    expect(inboundRows(keys)).toHaveLength(2);
  });
});

describe('sessions that open soon after another one', () => {
  it('the next session removes stored messages and does not report them again', async () => {
    const keys = new FakeKeys();
    const [usedCiphertexts, storedRowIds] = [new Set<string>(), new Set<string>()];
    const first = await openSession(keys, usedCiphertexts, storedRowIds);
    const content = encryptText('hello');
    first.inbound.onStanza(stanza('A1', ['skmsg', content]));
    await first.decrypt(content);
    first.inbound.markStored([{ key: { id: 'A1' } }]);
    await first.auth.waitForWrites();
    first.auth.seal();
    first.inbound.removeStoredRows();
    const second = await openSession(keys, usedCiphertexts, storedRowIds);
    expect(await second.resume()).toEqual([]);
    // If the receipt of the message was lost, WhatsApp sends the message again. It must be readable then.
    second.inbound.onStanza(stanza('A1', ['skmsg', content]));
    expect(await second.decrypt(content)).toEqual(encodePadded({ conversation: 'hello' }));
    second.inbound.removeStoredRows();
    await second.auth.waitForWrites();
    expect(inboundRows(keys)).toEqual([]);
    expect(storedRowIds.size).toBe(0);
  });
});
