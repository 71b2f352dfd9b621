import { describe, expect, it } from 'vitest';
import { fromConnection } from '../../../src/whatsapp/baileys/connection-update.ts';

const createBoom = (message: string, statusCode: number, data?: unknown) =>
  Object.assign(new Error(message), { output: { statusCode }, data });
const mapClose = (error: unknown) =>
  fromConnection({ connection: 'close', lastDisconnect: { error: error as Error, date: new Date(0) } });

describe('fromConnection', () => {
  it.each([
    [
      'a restart that the platform requests',
      createBoom('Stream Errored (restart required)', 515),
      515,
      'Stream Errored (restart required)',
    ],
    [
      'a refused login',
      createBoom('Connection Failure', 401, { reason: '401', location: 'lla' }),
      401,
      'Connection Failure (lla)',
    ],
    ['QR codes that no phone scanned', createBoom('QR refs attempts ended', 408), 408, 'QR refs attempts ended'],
    ['a lost connection', createBoom('Connection was lost', 408), 408, 'Connection was lost'],
    [
      'an invalid certificate',
      createBoom('noise certificate signature invalid', 400),
      400,
      'noise certificate signature invalid',
    ],
    ['the WebSocket close code 1006', 1006, 428, 'socket closed (1006)'],
    ['a close by the gateway', undefined, 428, 'closed by the gateway'],
    ['an error without a code', new Error('odd'), 503, 'odd'],
    ['a value that is not an error', 'odd', 503, 'odd'],
  ])('fromConnection() maps a close to its code and reason: %s', (_, error, code, reason) => {
    expect(mapClose(error)).toEqual({ type: 'closed', code, reason });
  });

  it.each([
    ['no server listens (not "QR codes expired")', createBoom('WebSocket Error (connect ECONNREFUSED)', 408)],
    ['a proxy answers 403 (not "banned")', createBoom('WebSocket Error (Unexpected server response: 403)', 403)],
    ['a proxy answers 401 (not "logged out")', createBoom('WebSocket Error (Unexpected server response: 401)', 401)],
    ['TLS fails (not "bad session")', createBoom('WebSocket Error (unable to verify)', 500)],
  ])('fromConnection() gives a failed connection the close code 428: %s', (_, error) => {
    expect(mapClose(error)).toMatchObject({ code: 428 });
  });

  it.each([
    [{ qr: '2@a,b' }, { type: 'qr', code: '2@a,b' }],
    [{ connection: 'open' as const }, { type: 'open' }],
    [{ connection: 'connecting' as const, qr: undefined }, undefined],
    [{ isOnline: true }, undefined],
    [{ receivedPendingNotifications: true }, undefined],
  ])('fromConnection() maps the update %j to %j', (update, signal) => expect(fromConnection(update)).toEqual(signal));
});
