import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Message } from '../../../src/events/events.ts';
import type { AppDeps } from '../../../src/http/deps.ts';
import { currentMessageIdentity, type MessageIdentity } from '../../../src/whatsapp/outbound/message-id.ts';
import { emptyStore, type Http, startHttp } from '../../support/http-fixture.ts';

/** Actions of the next calls of the operations. Each call runs and removes the first one. */
const nextActions: (() => void)[] = [];
/** The message identity of each call of `sendText`. */
const identities: (MessageIdentity | undefined)[] = [];

const operations: AppDeps['operations'] = {
  sendText: async (): Promise<Message> => {
    const identity = currentMessageIdentity();
    identities.push(identity);
    nextActions.shift()?.();
    return {
      key: { remoteJid: '1@s.whatsapp.net', fromMe: true, id: identity?.messageId ?? 'RANDOM' },
      message: { extendedTextMessage: { text: 'hi' } },
      messageType: 'extendedTextMessage',
      messageTimestamp: 1,
      source: 'web',
    };
  },
  createGroup: async () => {
    nextActions.shift()?.();
    throw new GatewayError('INTERNAL', 'Internal Server Error');
  },
};

/** Creates a store of requests in memory, whose reads and writes can fail. */
function createMemoryStore() {
  type Row = { digest: string; messageId: string; response: { status: number; body: string } | null };
  const rows = new Map<string, Row>();
  const failing = { claim: false, answer: false };
  const unavailableError = () => new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');
  return {
    rows,
    failing,
    requests: {
      claim: async (_: string, id: string, { digest, messageId }: { digest: string; messageId: string }) => {
        if (failing.claim) throw unavailableError();
        const existing = rows.get(id);
        if (!existing) rows.set(id, { digest, messageId, response: null });
        return existing ? { ...existing } : null;
      },
      storeResponse: async (_: string, id: string, response: Row['response']) => {
        if (failing.answer) throw unavailableError();
        const row = rows.get(id);
        if (row) row.response = response;
      },
      delete: async (_: string, id: string) => void rows.delete(id),
      prune: async () => 0,
    },
  };
}

async function startServer(): Promise<Http & ReturnType<typeof createMemoryStore>> {
  nextActions.length = 0;
  identities.length = 0;
  const store = createMemoryStore();
  const http = await startHttp({}, { operations, store: { ...emptyStore, requests: store.requests } });
  Object.assign(http.instances.get('shop') ?? {}, { session: () => ({ storage: emptyStore }) });
  return { ...http, ...store };
}

const body = { number: '1', textMessage: { text: 'hi' } };
const send = (http: Http, key = 'k', content: object = body) =>
  http.call('POST', '/message/sendText/shop', content, { 'idempotency-key': key });
const failNextCall = (error: Error) =>
  nextActions.push(() => {
    throw error;
  });

describe('requests with an Idempotency-Key', () => {
  it('a request with an Idempotency-Key gives its message a unique id in the form of the platform', async () => {
    const http = await startServer();
    await send(http, 'one');
    await send(http, 'two');
    const [one, two] = identities;
    expect(one).toEqual({ ...one, messageId: expect.stringMatching(/^3EB0[0-9A-F]{18}$/), isRepeat: false });
    expect(two?.messageId).not.toBe(one?.messageId);
    await http.call('POST', '/message/sendText/shop', body);
    expect(identities.at(-1)).toBeUndefined();
  });

  it('an Idempotency-Key replays the response for another order of fields and other wait parameters', async () => {
    const http = await startServer();
    const first = await send(http);
    const reordered = await http.call(
      'POST',
      '/message/sendText/shop?wait=ack',
      { textMessage: { text: 'hi' }, number: '1' },
      {
        'idempotency-key': 'k',
      },
    );
    expect(reordered.body).toEqual(first.body);
    expect(reordered.headers['idempotency-replayed']).toBe('true');
    expect(identities).toHaveLength(1);
  });

  it.each([
    ['is deleted when it certainly had no effect', new GatewayError('SEND_REFUSED', ['no'], { certain: true }), 0],
    ['is deleted when it was refused before it started', new GatewayError('STORAGE_UNAVAILABLE', 'away'), 0],
    ['keeps its response when its outcome is unknown', new GatewayError('SEND_TIMEOUT', 'late', { certain: false }), 1],
  ])('a request with an Idempotency-Key %s', async (_, error, storedRows) => {
    const http = await startServer();
    failNextCall(error);
    const failed = await send(http);
    expect(http.rows.size).toBe(storedRows);
    const repetition = await send(http);
    expect(repetition.status).toBe(storedRows ? failed.status : 201);
  });

  it('a repeated request sends its message with the same id when no response is stored for its Idempotency-Key', async () => {
    const http = await startServer();
    failNextCall(new Error('a bug'));
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
    ['certainly has no effect', new GatewayError('INSTANCE_NOT_OPEN', ['closed'], { certain: true })],
    ['is refused before it starts', new GatewayError('STORAGE_UNAVAILABLE', 'away')],
  ])('a request with an unknown outcome keeps its message id when a repetition %s', async (_, error) => {
    const http = await startServer();
    failNextCall(new Error('killed between message and answer'));
    await send(http);
    failNextCall(error);
    const expected = { code: error.code, certain: false, messageId: identities[0]?.messageId };
    expect(await send(http)).toMatchObject({ status: error.status, body: expected });
    expect((await send(http)).status).toBe(201);
    expect(new Set(identities.map((identity) => identity?.messageId)).size).toBe(1);
  });

  it('a request with an Idempotency-Key gets 503 and has no effect when its claim cannot be stored', async () => {
    const http = await startServer();
    http.failing.claim = true;
    expect(await send(http)).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE', certain: true } });
    expect(identities).toEqual([]);
    http.failing.claim = false;
    expect((await send(http)).status).toBe(201);
  });

  it('group/create does not run again for the Idempotency-Key of an interrupted request', async () => {
    const http = await startServer();
    const group = { subject: 'Crew', participants: ['15551234567'] };
    const create = () => http.call('POST', '/group/create/shop', group, { 'idempotency-key': 'g' });
    expect((await create()).status).toBe(500);
    failNextCall(new Error('it was made again'));
    expect(await create()).toMatchObject({ status: 504, body: { code: 'PLATFORM_TIMEOUT', certain: false } });
    expect(nextActions).toHaveLength(1);
  });
});

describe('repetitions of a running request', () => {
  it.each([
    ['names the key that both requests have', { 'idempotency-key': 'k' }, 'with this Idempotency-Key'],
    ['names the content when DEDUPE_WINDOW compares requests without a key', {}, 'with the same content'],
  ])('the error for a repetition of a running request %s', async (_, headers, subject) => {
    const { promise: isSent, resolve: finish } = Promise.withResolvers<void>();
    const { promise: isRunning, resolve: reportStart } = Promise.withResolvers<void>();
    const sendText = async () => {
      reportStart();
      await isSent;
      throw new GatewayError('SEND_REFUSED', ['no'], { certain: true });
    };
    const store = { ...emptyStore, requests: createMemoryStore().requests };
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
