import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import {
  AccountRestrictions,
  fromNewChatCap,
  fromTimeLock,
} from '../../../src/whatsapp/outbound/account-restrictions.ts';
import { fakeSession } from '../fakes.ts';

const ends = new Date(1_767_225_600_000);
const before = ends.getTime() - 1;
const locked = { isActive: true, timeEnforcementEnds: ends, enforcementType: 'BIZ_QUALITY' } as never;
const free = { isActive: false, enforcementType: 'DEFAULT' } as never;

/** A session and its standing; `rows` are what it keeps, and what earlier sessions kept. */
async function follow(answer: () => Promise<never> = () => Promise.reject(new Error('no answer')), guards = true) {
  const ev = new EventEmitter();
  const rows = new Map<string, Uint8Array>();
  const auth = {
    all: async () => rows,
    set: async (data: object) => {
      for (const [kind, said] of Object.entries(Object.values(data)[0]))
        rows.set(kind, Buffer.from(JSON.stringify(said)));
    },
  };
  const ask = vi.fn(answer);
  const session = fakeSession();
  const standing = await AccountRestrictions.open(auth, guards);
  const capped = async () => ({});
  standing.listen(
    { ev, fetchAccountReachoutTimelock: ask, fetchNewChatMessageCap: capped } as unknown as WASocket,
    session,
  );
  const say = (reachoutTimeLock: never) => ev.emit('connection.update', { reachoutTimeLock });
  return { ev, ask, auth, session, standing, say };
}

describe('restrictions', () => {
  it('AccountRestrictions reports the start and the end of a restriction once', async () => {
    const { session, say, ev } = await follow();
    for (const lock of [free, locked, locked, free, free, locked]) say(lock);
    ev.emit('connection.update', { connection: 'open' });
    expect(session.ingested).toMatchObject([{ restricted: true }, { restricted: false }, { restricted: true }]);
  });

  it('AccountRestrictions keeps a restriction for the next session until its end', async () => {
    const { auth, say } = await follow();
    say(locked);
    const next = await AccountRestrictions.open(auth, true);
    expect(next.current(before)).toEqual({ restricted: true, reason: 'BIZ_QUALITY', until: ends.getTime() });
    expect(next.newChatRestriction(before)).toMatchObject({ kind: 'new_chats_locked' });
    expect(next.current(ends.getTime())).toEqual({ restricted: false, reason: 'BIZ_QUALITY', until: null });
    expect(next.newChatRestriction(ends.getTime())).toBeUndefined();
    expect((await AccountRestrictions.open(auth, false)).newChatRestriction(before)).toBeUndefined();
  });

  it.each([
    ['restricted', { ...(locked as object), timeEnforcementEnds: undefined }, true],
    ['not restricted', free, false],
  ])('AccountRestrictions limits its queries: %s', async (_, answer, expected) => {
    const { ask, standing } = await follow(async () => answer as never);
    expect(await Promise.all([standing.isRestricted(), standing.isRestricted()])).toEqual([expected, expected]);
    expect(await standing.isRestricted()).toBe(expected);
    expect(ask).toHaveBeenCalledOnce();
  });

  it('AccountRestrictions returns undefined without an answer', async () => {
    const { standing } = await follow();
    expect(standing.current()).toBeUndefined();
    expect(await standing.isRestricted()).toBeUndefined();
  });

  it('AccountRestrictions ignores reports after the end of the session', async () => {
    const { session, say } = await follow();
    session.end();
    say(locked);
    expect(session.ingested).toEqual([]);
  });
});

describe('what they say', () => {
  const type = 'instance.restricted';

  it('fromTimeLock maps the reason and the end of a lock', () => {
    const restriction = {
      type,
      kind: 'new_chats_locked',
      restricted: true,
      reason: 'BIZ_QUALITY',
      until: ends.getTime(),
    };
    expect(fromTimeLock(locked)).toEqual(restriction);
    expect(fromTimeLock(free)).toEqual({ type, kind: 'new_chats_locked', restricted: false, reason: 'DEFAULT' });
  });

  it('fromNewChatCap maps the quota and its period', () => {
    const info = { total_quota: 10, used_quota: 8, cycle_end_timestamp: '1767225600' };
    const quota = { until: ends.getTime(), quota: { total: 10, used: 8 } };
    const warned = fromNewChatCap({ ...info, capping_status: 'FIRST_WARNING' as never });
    expect(warned).toEqual({ type, kind: 'new_chats_capped', restricted: false, reason: 'FIRST_WARNING', ...quota });
    expect(fromNewChatCap({ ...info, capping_status: 'CAPPED' as never })).toMatchObject({ restricted: true });
    expect(fromNewChatCap({})).toEqual({ type, kind: 'new_chats_capped', restricted: false, reason: 'NONE' });
  });
});
