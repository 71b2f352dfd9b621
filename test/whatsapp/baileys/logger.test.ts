import { Boom } from '@hapi/boom';
import { describe, expect, it } from 'vitest';
import { createBaileysLog } from '../../../src/whatsapp/baileys/logger.ts';
import { readableLog } from '../../support/session-fakes.ts';

const secret = { jid: '4915112345678@s.whatsapp.net', key: 'private' };

describe('createBaileysLog', () => {
  it('createBaileysLog() logs messages and errors without objects and phone numbers', () => {
    const { log, lines } = readableLog();
    const baileys = createBaileysLog(log, 'warn');
    baileys.error(
      { ...secret, err: new Error('No session for 4915112345678') },
      'failed for 4915112345678@s.whatsapp.net',
    );
    baileys.warn('Invalid LID-PN mapping: 123456789@lid');
    expect(lines.map(({ level, reason, msg }) => ({ level, reason, msg }))).toEqual([
      { level: 40, reason: 'Error: No session for …', msg: 'baileys: failed for …@s.whatsapp.net' },
      { level: 40, reason: undefined, msg: 'baileys: Invalid LID-PN mapping: …@lid' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/4915|private/);
  });

  it('createBaileysLog() drops lines below the level', () => {
    const { log, lines } = readableLog();
    const baileys = createBaileysLog(log, 'error');
    for (const level of ['trace', 'debug', 'info', 'warn'] as const) baileys[level](secret, level);
    createBaileysLog(log, 'silent').error(secret, 'error');
    expect(lines).toEqual([]);
  });

  it('createBaileysLog() logs the normal end of a stream at level debug', () => {
    const { log, lines } = readableLog('info');
    createBaileysLog(log, 'error').error(secret, 'stream errored out');
    expect(lines).toEqual([]);
  });

  it('createBaileysLog() logs errors of a closed connection at level debug', () => {
    const { log, lines } = readableLog();
    const baileys = createBaileysLog(log, 'error');
    const closed = new Boom('Connection Closed', { statusCode: 428 });
    for (const name of ['ackErr', 'err', 'error', 'e']) baileys.error({ [name]: closed }, `failed with ${name}`);
    baileys.error({ ackErr: new Error('no reason') }, 'failed to ack receipt');
    expect(lines.map(({ level, reason, msg }) => ({ level, reason, msg }))).toEqual([
      ...['ackErr', 'err', 'error', 'e'].map((name) => ({
        ...{ level: 20, reason: 'Error: Connection Closed', msg: `baileys: failed with ${name}` },
      })),
      { level: 40, reason: 'Error: no reason', msg: 'baileys: failed to ack receipt' },
    ]);
  });

  it('createBaileysLog() adds whole objects at level debug when the level is debug', () => {
    const { log, lines } = readableLog();
    const baileys = createBaileysLog(log, 'debug').child({ class: 'x' });
    baileys.info(secret, 'logging in');
    baileys.debug(secret, 'sent ack');
    expect(lines.map(({ level, msg, baileys: object }) => ({ level, msg, object }))).toEqual([
      { level: 20, msg: 'logging in', object: secret },
      { level: 30, msg: 'baileys: logging in', object: undefined },
      { level: 20, msg: 'sent ack', object: secret },
    ]);
  });

  it('createBaileysLog() logs warnings when its level is debug and the level of the gateway is info', () => {
    const { log, lines } = readableLog('info');
    createBaileysLog(log, 'debug').error({ ...secret, err: new Error('no session') }, 'failed to decrypt');
    expect(lines.map(({ level, msg, reason }) => ({ level, msg, reason }))).toEqual([
      { level: 40, msg: 'baileys: failed to decrypt', reason: 'Error: no session' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/4915|private/);
  });
});
