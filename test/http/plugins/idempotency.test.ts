import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Message } from '../../../src/events/events.ts';
import type { AppDeps } from '../../../src/http/deps.ts';
import { currentMessageIdentity, type MessageIdentity } from '../../../src/whatsapp/outbound/message-id.ts';
import { emptyStore, type Http, startHttp } from '../routes/fixture.ts';

/** What the operation is about to do, and which identity each call had. */
const acts: (() => void)[] = [];
const identities: (MessageIdentity | undefined)[] = [];

const operations: AppDeps['operations'] = {
  sendText: async (): Promise<Message> => {
    const identity = currentMessageIdentity();
    identities.push(identity);
    acts.shift()?.();
    return {
      key: { remoteJid: '1@s.whatsapp.net', fromMe: true, id: identity?.messageId ?? 'RANDOM' },
      message: { extendedTextMessage: { text: 'hi' } },
      messageType: 'extendedTextMessage',
      messageTimestamp: 1,
      source: 'web',
    };
  },
  createGroup: async () => {
    acts.shift()?.();
    throw new GatewayError('INTERNAL', 'Internal Server Error');
  },
};

/** A store of requests whose reads and writes can fail. */
function memory() {
  type Row = { digest: string; messageId: string; response: { status: number; body: string } | null };
  const rows = new Map<string, Row>();
  const failing = { claim: false, answer: false };
  const away = () => new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');
  return {
    rows,
    failing,
    requests: {
      claim: async (_: string, id: string, { digest, messageId }: { digest: string; messageId: string }) => {
        if (failing.claim) throw away();
        const known = rows.get(id);
        if (!known) rows.set(id, { digest, messageId, response: null });
        return known ? { ...known } : null;
      },
      storeResponse: async (_: string, id: string, response: Row['response']) => {
        if (failing.answer) throw away();
        const row = rows.get(id);
        if (row) row.response = response;
      },
      delete: async (_: string, id: string) => void rows.delete(id),
      prune: async () => 0,
    },
  };
}

async function start(): Promise<Http & ReturnType<typeof memory>> {
  acts.length = 0;
  identities.length = 0;
  const store = memory();
  const http = await startHttp({}, { operations, store: { ...emptyStore, requests: store.requests } });
  Object.assign(http.instances.get('shop') ?? {}, { session: () => ({ storage: emptyStore }) });
  return { ...http, ...store };
}

const body = { number: '1', textMessage: { text: 'hi' } };
const send = (http: Http, key = 'k', asked: object = body) =>
  http.call('POST', '/message/sendText/shop', asked, { 'idempotency-key': key });
const fail = (error: Error) =>
  acts.push(() => {
    throw error;
  });

describe('a request with a key', () => {
  it('gives its message an id in the platform’s form, the same for no other', async () => {
    const http = await start();
    await send(http, 'one');
    await send(http, 'two');
    const [one, two] = identities;
    expect(one).toEqual({ ...one, messageId: expect.stringMatching(/^3EB0[0-9A-F]{18}$/), isRepeat: false });
    expect(two?.messageId).not.toBe(one?.messageId);
    await http.call('POST', '/message/sendText/shop', body);
    expect(identities.at(-1)).toBeUndefined();
  });

  it('is the same request with its fields in any order, and however its answer is wanted', async () => {
    const http = await start();
    const first = await send(http);
    const turned = await http.call(
      'POST',
      '/message/sendText/shop?wait=ack',
      { textMessage: { text: 'hi' }, number: '1' },
      {
        'idempotency-key': 'k',
      },
    );
    expect(turned.body).toEqual(first.body);
    expect(turned.headers['idempotency-replayed']).toBe('true');
    expect(identities).toHaveLength(1);
  });

  it.each([
    ['is forgotten when it certainly did nothing', new GatewayError('SEND_REFUSED', ['no'], { certain: true }), 0],
    ['is forgotten when it was refused before it began', new GatewayError('STORAGE_UNAVAILABLE', 'away'), 0],
    ['keeps its answer when nobody knows', new GatewayError('SEND_TIMEOUT', 'late', { certain: false }), 1],
  ])('%s', async (_, error, kept) => {
    const http = await start();
    fail(error);
    const failed = await send(http);
    expect(http.rows.size).toBe(kept);
    const again = await send(http);
    expect(again.status).toBe(kept ? failed.status : 201);
  });

  it('sends under the same id again when its outcome could not be kept, or nothing is known of it', async () => {
    const http = await start();
    fail(new Error('a bug'));
    expect((await send(http)).status).toBe(500);
    http.failing.answer = true;
    const answered = await send(http);
    expect(answered.status).toBe(201);
    http.failing.answer = false;
    await send(http);
    expect(identities.map((identity) => identity?.isRepeat)).toEqual([false, true, true]);
    expect(new Set(identities.map((identity) => identity?.messageId)).size).toBe(1);
    expect(http.log.map(({ msg }) => msg)).toContain('request.response.failed');
  });

  it.each([
    ['certainly did nothing', new GatewayError('INSTANCE_NOT_OPEN', ['closed'], { certain: true })],
    ['was refused before it began', new GatewayError('STORAGE_UNAVAILABLE', 'away')],
  ])('keeps its id when nothing is known of it and a repetition %s', async (_, error) => {
    const http = await start();
    fail(new Error('killed between message and answer'));
    await send(http);
    fail(error);
    const expected = { code: error.code, certain: false, messageId: identities[0]?.messageId };
    expect(await send(http)).toMatchObject({ status: error.status, body: expected });
    expect((await send(http)).status).toBe(201);
    expect(new Set(identities.map((identity) => identity?.messageId)).size).toBe(1);
  });

  it('does nothing, certainly, when it cannot be recorded', async () => {
    const http = await start();
    http.failing.claim = true;
    expect(await send(http)).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE', certain: true } });
    expect(identities).toEqual([]);
    http.failing.claim = false;
    expect((await send(http)).status).toBe(201);
  });

  it('is not made again when it makes more than a message', async () => {
    const http = await start();
    const group = { subject: 'Crew', participants: ['15551234567'] };
    const create = () => http.call('POST', '/group/create/shop', group, { 'idempotency-key': 'g' });
    expect((await create()).status).toBe(500);
    fail(new Error('it was made again'));
    expect(await create()).toMatchObject({ status: 504, body: { code: 'PLATFORM_TIMEOUT', certain: false } });
    expect(acts).toHaveLength(1);
  });
});

describe('a second request while the first one is running', () => {
  it.each([
    ['names the key that both requests have', { 'idempotency-key': 'k' }, 'with this Idempotency-Key'],
    ['names the content when DEDUPE_WINDOW compares requests without a key', {}, 'with the same content'],
  ])('%s', async (_, headers, subject) => {
    const { promise: isSent, resolve: finish } = Promise.withResolvers<void>();
    const { promise: isRunning, resolve: begin } = Promise.withResolvers<void>();
    const sendText = async () => {
      begin();
      await isSent;
      throw new GatewayError('SEND_REFUSED', ['no'], { certain: true });
    };
    const store = { ...emptyStore, requests: memory().requests };
    const http = await startHttp({ DEDUPE_WINDOW: '60000' }, { operations: { sendText }, store });
    Object.assign(http.instances.get('shop') ?? {}, { session: () => ({ storage: emptyStore }) });
    const first = http.call('POST', '/message/sendText/shop', body, headers);
    await isRunning;
    const second = await http.call('POST', '/message/sendText/shop', body, headers);
    finish();
    await first;
    expect(second).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_FLIGHT', certain: false } });
    expect(second.body).toMatchObject({
      response: { message: [`An earlier request ${subject} is still running. Retry later.`] },
    });
  });
});
