import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { sendText } from '../../../src/whatsapp/message/text.ts';
import { fetchDevices } from '../../../src/whatsapp/outbound/chat-address.ts';
import { QueryRefusal } from '../../../src/whatsapp/query.ts';
import { fakeSession, readableLog } from '../../support/session-fakes.ts';

const jid = '4915112345678@s.whatsapp.net';

/** Creates a session whose query for devices rejects with `error`. */
function createSession(error: unknown) {
  const { log, lines } = readableLog();
  const devices = {
    queryNumber: async () => [{ jid, exists: true }],
    isPrefetched: () => false,
    prefetch: () => Promise.reject(error),
    copy: async () => undefined,
  };
  return { session: fakeSession({}, { devices, log }), lines };
}
const boomError = (message: string, statusCode: number) =>
  Object.assign(new Error(message), { output: { statusCode } });

describe('fetchDevices', () => {
  it.each([
    ['a lost connection', 1006, 'INSTANCE_NOT_OPEN'],
    ['a closed socket', boomError('Connection Closed', 428), 'INSTANCE_NOT_OPEN'],
    ['a timeout', Object.assign(boomError('the platform did not answer', 500), { data: 408 }), 'PLATFORM_TIMEOUT'],
    ['a refusal', boomError('not-authorized', 500), 'SEND_REFUSED'],
    ['a refused group query', new QueryRefusal(403, 'forbidden', undefined), 'GROUP_FORBIDDEN'],
    ['a database failure', new GatewayError('STORAGE_UNAVAILABLE', 'The database is down'), 'STORAGE_UNAVAILABLE'],
    ['an unexpected error', new TypeError('x is not a function'), 'INTERNAL'],
  ])('fetchDevices() rejects with certain: true after %s', async (_, error, code) => {
    const { session, lines } = createSession(error);
    await expect(fetchDevices(session, jid)).rejects.toMatchObject({ code, certain: true, messageId: undefined });
    expect(lines.map(({ msg }) => msg)).not.toContain('message.interrupted');
  });

  it('fetchDevices() throws INSTANCE_NOT_OPEN for each error after the end of the session', async () => {
    const { session } = createSession(new Error('the key store is closed'));
    session.end();
    await expect(fetchDevices(session, jid)).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
  });

  const databaseError = new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');

  it('fetchDevices() reports a database error although the error ends the session first', async () => {
    const { session } = createSession(databaseError);
    session.devices.prefetch = async () => {
      await undefined;
      session.end(databaseError);
      throw databaseError;
    };
    await expect(fetchDevices(session, jid)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', certain: true });
  });

  it('sendText() reports a database error that ended the session before the message is written', async () => {
    const { session } = createSession(undefined);
    session.devices.isPrefetched = () => true;
    session.addresses.find = async (chat) => {
      session.end(databaseError);
      return { chat, jid: chat, attributes: {} };
    };
    const sending = sendText(session, { number: jid, textMessage: { text: 'x' } });
    await expect(sending).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503, certain: true });
    expect(session.calls.filter(([name]) => name === 'relayMessage')).toEqual([]);
  });

  it('sendText() reports an unexpected error of the device query as INTERNAL with certain: true', async () => {
    const { session } = createSession(new TypeError('x is not a function'));
    const input = { number: jid, textMessage: { text: 'x' } };
    await expect(sendText(session, input)).rejects.toMatchObject({ code: 'INTERNAL', status: 500, certain: true });
    expect(session.calls.filter(([name]) => name === 'relayMessage')).toEqual([]);
    expect(session.ingested).toEqual([]);
  });
});
