import { setImmediate } from 'node:timers/promises';
import { jidNormalizedUser, proto } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { FakeKeys } from '../fakes.ts';
import { group, padded, rows, sealed, sealedMessage, session, stanza } from './buffer-session.ts';

describe('a decrypted message', () => {
  it('the inbound buffer writes a message in the transaction of its ratchet step', async () => {
    const keys = new FakeKeys();
    const { auth, inbound, read } = await session(keys);
    const content = sealed('hello');
    inbound.onStanza(stanza('A1', ['skmsg', content]));
    await read(content);
    await auth.waitForWrites();
    expect(keys.transactions.map((writes) => writes.map(({ type }) => type).toSorted())).toEqual([
      ['inbound', 'session'],
    ]);
  });

  it('the inbound buffer reports a message after a crash without decrypting it again', async () => {
    const keys = new FakeKeys();
    const used = new Set<string>();
    const first = await session(keys, used);
    const content = sealed('hello');
    first.inbound.onStanza(stanza('A1', ['skmsg', content]));
    await first.read(content);
    await first.auth.waitForWrites();

    const next = await session(keys, used);
    const [reported] = await next.resumed();
    expect(reported?.[0]).toMatchObject({
      key: { remoteJid: group, participant: '222@lid', id: 'A1' },
      message: { conversation: 'hello' },
      messageTimestamp: 1_700_000_000,
    });
    const again = Buffer.from(content);
    next.inbound.onStanza(stanza('A1', ['skmsg', again]));
    expect(Buffer.from(await next.read(again))).toEqual(padded({ conversation: 'hello' }));
  });

  it('the inbound buffer keeps the order of messages of the same second', async () => {
    const keys = new FakeKeys();
    const first = await session(keys);
    const ids = ['A1', 'A2', 'A3'];
    for (const id of ids) await first.receive(id);
    await first.auth.waitForWrites();
    const turned = [...keys.rows].toReversed();
    keys.rows.clear();
    for (const [key, value] of turned) keys.rows.set(key, value);
    const next = await session(keys);
    expect((await next.resumed()).map(([message]) => message.key?.id)).toEqual(ids);
  });

  it('the inbound buffer keeps new messages behind offline messages', async () => {
    const { inbound, read } = await session(new FakeKeys());
    const come = (id: string, isWaiting: boolean) => {
      const content = sealed(id);
      const node = stanza(id, ['skmsg', content]);
      if (isWaiting) node.attrs.offline = '3';
      inbound.onStanza(node);
      return { node, content };
    };
    const waiting = ['A1', 'A2'].map((id) => come(id, true));
    const early = come('B1', false);
    expect(early.node.attrs.offline).toBeDefined();
    for (const { content } of [...waiting, early]) await read(content);
    expect(come('B2', false).node.attrs.offline).toBeUndefined();
  });

  it('the inbound buffer reports own protocol messages only after the login', async () => {
    const keys = new FakeKeys();
    const used = new Set<string>();
    const first = await session(keys, used);
    const type = proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION;
    const order = sealedMessage({ protocolMessage: { type, historySyncNotification: { syncType: 3 } } });
    const fromPhone = stanza('A1', ['skmsg', order]);
    Object.assign(fromPhone.attrs, { participant: jidNormalizedUser(first.auth.creds.me?.lid) });
    first.inbound.onStanza(fromPhone);
    await first.read(order);
    await first.auth.waitForWrites();

    const next = await session(keys, used);
    const reported = await next.resumed();
    expect(reported).toEqual([]);
    next.ws.emit('CB:success');
    await waitFor(() => expect(reported).toHaveLength(1));
  });

  it('the inbound buffer does not report a message with a missing part', async () => {
    const keys = new FakeKeys();
    const used = new Set<string>();
    const first = await session(keys, used);
    const [one, two] = [sealed('keys'), sealed('text')];
    first.inbound.onStanza(stanza('A1', ['pkmsg', one], ['skmsg', two]));
    await first.read(one);
    await first.auth.waitForWrites();
    const second = await session(keys, used);
    expect(await second.resumed()).toEqual([]);
    second.inbound.onStanza(stanza('A1', ['pkmsg', one], ['skmsg', two]));
    await second.read(one);
    await second.read(two);
    await second.auth.waitForWrites();
    expect(await (await session(keys, used)).resumed()).toHaveLength(1);
  });

  it('the inbound buffer removes a row with the first write after its event is stored', async () => {
    const keys = new FakeKeys();
    const { auth, inbound, read } = await session(keys);
    const [one, two] = [sealed('one'), sealed('two')];
    inbound.onStanza(stanza('A1', ['skmsg', one]));
    inbound.onStanza(stanza('A2', ['skmsg', two]));
    await read(one);
    inbound.markStored([{ key: { id: 'A1' } }]);
    await auth.waitForWrites();
    expect(rows(keys)).toHaveLength(1);
    await read(two);
    await auth.waitForWrites();
    expect(rows(keys)).toHaveLength(1);
    inbound.markStored([{ key: { id: 'A2' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
  });

  it('messages of one turn share a row, which stays until all of them are stored', async () => {
    const keys = new FakeKeys();
    const used = new Set<string>();
    const { auth, inbound, read } = await session(keys, used);
    const contents = ['A1', 'A2', 'A3'].map((id) => {
      const content = sealed(id);
      inbound.onStanza(stanza(id, ['skmsg', content]));
      return content;
    });
    for (const content of contents) await read(content);
    await auth.waitForWrites();
    expect(rows(keys)).toHaveLength(1);
    inbound.markStored([{ key: { id: 'A1' } }, { key: { id: 'A3' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    const next = await session(keys, used);
    expect((await next.resumed()).map(([message]) => message.key?.id)).toContain('A2');
    const again = Buffer.from(contents[1] ?? []);
    next.inbound.onStanza(stanza('A2', ['skmsg', again]));
    expect(Buffer.from(await next.read(again))).toEqual(padded({ conversation: 'A2' }));
    inbound.markStored([{ key: { id: 'A2' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
  });

  it('older releases read the first message of a shared row', async () => {
    const keys = new FakeKeys();
    const { auth, receive } = await session(keys);
    for (const id of ['A1', 'A2']) await receive(id);
    await auth.waitForWrites();
    const [row] = [...keys.rows].filter(([key]) => key.startsWith('inbound|')).map(([, value]) => value);
    const { stanza: attrs, plaintext } = JSON.parse(Buffer.from(row ?? []).toString());
    expect(attrs.id).toBe('A1');
    expect(Buffer.from(plaintext, 'base64')).toEqual(padded({ conversation: 'A1' }));
  });

  it('messages of different turns do not share a row', async () => {
    const keys = new FakeKeys();
    const { auth, receive } = await session(keys);
    for (const id of ['A1', 'A2']) {
      await receive(id);
      await setImmediate();
    }
    await auth.waitForWrites();
    expect(rows(keys)).toHaveLength(2);
  });

  it('the inbound buffer reads the rows of older releases', async () => {
    const keys = new FakeKeys();
    const used = new Set<string>();
    const first = await session(keys, used);
    const content = sealed('hello');
    first.inbound.onStanza(stanza('A1', ['skmsg', content]));
    await first.read(content);
    await first.auth.waitForWrites();
    for (const [key, value] of keys.rows) {
      if (!key.startsWith('inbound|')) continue;
      const { id: _, ...part } = JSON.parse(Buffer.from(value).toString());
      keys.rows.set(key, Buffer.from(JSON.stringify(part)));
    }
    const next = await session(keys, used);
    expect((await next.resumed()).map(([message]) => message.key?.id)).toEqual(['A1']);
    const again = Buffer.from(content);
    next.inbound.onStanza(stanza('A1', ['skmsg', again]));
    expect(Buffer.from(await next.read(again))).toEqual(padded({ conversation: 'hello' }));
    next.inbound.markStored([{ key: { id: 'A1' } }]);
    next.inbound.removeStoredRows();
    await next.auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
  });

  it('the inbound buffer stores nothing for a message that cannot be decrypted', async () => {
    const keys = new FakeKeys();
    const content = sealed('hello');
    const { auth, inbound, read } = await session(keys, new Set([content.toString('hex')]));
    inbound.onStanza(stanza('A1', ['skmsg', content]));
    await expect(read(content)).rejects.toThrow('no matching session');
    await auth.waitForWrites();
    expect(keys.transactions).toEqual([]);
  });
});

describe('a decrypted message that Baileys gives up', () => {
  const poison = sealedMessage({ reactionMessage: { text: 'x' } });
  const fail = () => {
    throw new TypeError('in work');
  };

  it('a failed message is reported as unprocessable once when it cannot be processed', async () => {
    const keys = new FakeKeys();
    const { resumed, turn, asides, inbound, auth, upsertMessage } = await session(keys);
    await resumed();
    await turn('P1', [poison], fail);
    expect(asides()).toEqual([[expect.stringMatching(/^TypeError: Cannot/), 'P1']]);
    expect(upsertMessage).not.toHaveBeenCalled();
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
  });

  it.each([
    ['number', '5511900000001:0@s.whatsapp.net', true],
    ['LID', '111:0@lid', true],
    ['LID of another person', '222:0@lid', false],
  ])('a failed message names this account as its author when it comes from the %s', async (_, participant, fromMe) => {
    const { resumed, turn, keysSetAside } = await session(new FakeKeys());
    await resumed();
    await turn('P1', [sealed('text'), sealed('keys')], fail, { participant });
    expect(keysSetAside()).toEqual([{ id: 'P1', remoteJid: group, fromMe, participant }]);
  });

  it('a failed message is reported in its turn when only its receipt failed', async () => {
    const { resumed, turn, asides, upsertMessage } = await session(new FakeKeys());
    await resumed();
    await turn('A1', [sealed('hello')], fail);
    expect(upsertMessage.mock.calls).toMatchObject([
      [{ key: { id: 'A1' }, message: { conversation: 'hello' } }, 'append'],
    ]);
    expect(asides()).toEqual([]);
  });

  it('a failed message is not reported twice when it failed after its report', async () => {
    const { resumed, turn, asides, upsertMessage, ev } = await session(new FakeKeys());
    await resumed();
    await turn('A1', [sealed('hello')], () => {
      ev.emit('messages.upsert', { messages: [{ key: { id: 'A1' } }], type: 'notify' });
      fail();
    });
    expect(upsertMessage).not.toHaveBeenCalled();
    expect(asides()).toEqual([]);
  });

  it('a failed message is kept for the next session when this one has ended', async () => {
    const keys = new FakeKeys();
    const used = new Set<string>();
    const first = await session(keys, used);
    await first.resumed();
    first.ended.abort();
    await first.turn('P1', [poison], fail);
    expect(first.asides()).toEqual([]);
    const second = await session(keys, used);
    await second.resumed();
    expect(second.asides()).toMatchObject([[expect.anything(), 'P1']]);
  });

  it('a message that Baileys acknowledges without an event leaves the buffer', async () => {
    const keys = new FakeKeys();
    const { resumed, turn, asides, inbound, auth, upsertMessage } = await session(keys);
    await resumed();
    await turn('A1', [sealed('text'), sealed('keys')], () => undefined);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
    expect(upsertMessage).not.toHaveBeenCalled();
    expect(asides()).toEqual([]);
  });

  it('a message with a damaged part stays in the buffer until its event is stored', async () => {
    const keys = new FakeKeys();
    const { resumed, turn, inbound, auth, ev } = await session(keys);
    await resumed();
    await turn('A1', [sealed('text'), sealed('keys')], () => {
      ev.emit('messages.upsert', { messages: [{ key: { id: 'A1' } }], type: 'notify' });
    });
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(rows(keys)).toHaveLength(1);
    inbound.markStored([{ key: { id: 'A1' } }]);
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
  });

  it('a failed message with a damaged part is reported as unprocessable', async () => {
    const keys = new FakeKeys();
    const { resumed, turn, asides, inbound, auth, upsertMessage } = await session(keys);
    await resumed();
    await turn('A1', [sealed('text'), sealed('keys')], fail);
    expect(asides()).toEqual([['TypeError: in work', 'A1']]);
    expect(upsertMessage).not.toHaveBeenCalled();
    inbound.removeStoredRows();
    await auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
  });

  it('an unprocessable message of an older release is reported, and the others resume', async () => {
    const keys = new FakeKeys();
    const used = new Set<string>();
    const first = await session(keys, used);
    for (const [id, content] of [
      ['A1', sealed('one')],
      ['P1', poison],
      ['A2', sealed('two')],
    ] as const) {
      first.inbound.onStanza(stanza(id, ['skmsg', content]));
      await first.read(content);
    }
    await first.auth.waitForWrites();
    const second = await session(keys, used);
    expect((await second.resumed()).map(([{ key }]) => key?.id)).toEqual(['A1', 'A2']);
    expect(second.asides()).toMatchObject([[expect.anything(), 'P1']]);
    second.inbound.markStored([{ key: { id: 'A1' } }, { key: { id: 'A2' } }]);
    second.inbound.removeStoredRows();
    await second.auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
  });
});

describe('a stored message whose reconstruction never ends', () => {
  /** A session with two stored messages. The look-up of the other address of the second author never ends. */
  async function hangingSession() {
    const keys = new FakeKeys();
    for (const id of ['A1', 'A2']) {
      const attrs = { ...stanza(id).attrs, participant: '4915112345678@s.whatsapp.net' };
      const plaintext = padded({ conversation: id }).toString('base64');
      const part = { stanza: attrs, enc: { v: '2', type: 'skmsg' }, index: 0, of: 1, plaintext };
      keys.rows.set(`inbound|${id}`, Buffer.from(JSON.stringify(part)));
    }
    const next = await session(keys);
    next.lidMapping.getLIDForPN.mockResolvedValueOnce(null).mockReturnValue(new Promise(() => undefined));
    return { keys, next };
  }

  it('does not keep the session from its end', async () => {
    const { next } = await hangingSession();
    const resumed = next.resumed();
    next.ended.abort();
    await resumed;
    expect(next.asides()).toEqual([]);
  });

  it('stays stored, and the session continues without it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { keys, next } = await hangingSession();
    const resumed = next.resumed();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await resumed).map(([{ key }]) => key?.id)).toEqual(['A1']);
    expect(next.asides()).toEqual([]);
    expect(rows(keys)).toHaveLength(2);
  });
});

describe('a session that opens soon after another', () => {
  it('a following session does not report stored messages again and removes them', async () => {
    const keys = new FakeKeys();
    const [used, done] = [new Set<string>(), new Set<string>()];
    const first = await session(keys, used, done);
    const content = sealed('hello');
    first.inbound.onStanza(stanza('A1', ['skmsg', content]));
    await first.read(content);
    first.inbound.markStored([{ key: { id: 'A1' } }]);
    await first.auth.waitForWrites();
    first.auth.seal();
    first.inbound.removeStoredRows();
    const second = await session(keys, used, done);
    expect(await second.resumed()).toEqual([]);
    // Its receipt may have been lost: then it comes again and is readable.
    second.inbound.onStanza(stanza('A1', ['skmsg', content]));
    expect(await second.read(content)).toEqual(padded({ conversation: 'hello' }));
    second.inbound.removeStoredRows();
    await second.auth.waitForWrites();
    expect(rows(keys)).toEqual([]);
    expect(done.size).toBe(0);
  });
});
