import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import {
  AccountRestrictions,
  fromNewChatCap,
  fromTimeLock,
} from '../../../src/whatsapp/outbound/account-restrictions.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const lockEnd = new Date(1_767_225_600_000);
const beforeLockEnd = lockEnd.getTime() - 1;
const locked = { isActive: true, timeEnforcementEnds: lockEnd, enforcementType: 'BIZ_QUALITY' } as never;
const unlocked = { isActive: false, enforcementType: 'DEFAULT' } as never;

/**
 * Opens the restrictions of a session, which listen to a socket. `fetchTimelock` answers with `answer`. `auth` keeps
 * the restrictions for later sessions.
 */
async function openRestrictions(
  answer: () => Promise<never> = () => Promise.reject(new Error('no answer')),
  isGuardEnabled = true,
) {
  const ev = new EventEmitter();
  const rows = new Map<string, Uint8Array>();
  const auth = {
    readAll: async () => rows,
    set: async (data: object) => {
      for (const [kind, value] of Object.entries(Object.values(data)[0]))
        rows.set(kind, Buffer.from(JSON.stringify(value)));
    },
  };
  const fetchTimelock = vi.fn(answer);
  const session = fakeSession();
  const restrictions = await AccountRestrictions.open(auth, isGuardEnabled);
  const fetchCap = async () => ({});
  restrictions.listen(
    { ev, fetchAccountReachoutTimelock: fetchTimelock, fetchNewChatMessageCap: fetchCap } as unknown as WASocket,
    session,
  );
  const reportTimelock = (reachoutTimeLock: never) => ev.emit('connection.update', { reachoutTimeLock });
  return { ev, fetchTimelock, auth, session, restrictions, reportTimelock };
}

describe('AccountRestrictions', () => {
  it('AccountRestrictions reports each start and each end of a restriction once', async () => {
    const { session, reportTimelock, ev } = await openRestrictions();
    for (const lock of [unlocked, locked, locked, unlocked, unlocked, locked]) reportTimelock(lock);
    ev.emit('connection.update', { connection: 'open' });
    expect(session.ingested).toMatchObject([{ restricted: true }, { restricted: false }, { restricted: true }]);
  });

  it('AccountRestrictions keeps a restriction for the next session until the restriction ends', async () => {
    const { auth, reportTimelock } = await openRestrictions();
    reportTimelock(locked);
    const next = await AccountRestrictions.open(auth, true);
    expect(next.current(beforeLockEnd)).toEqual({ restricted: true, reason: 'BIZ_QUALITY', until: lockEnd.getTime() });
    expect(next.newChatRestriction(beforeLockEnd)).toMatchObject({ kind: 'new_chats_locked' });
    expect(next.current(lockEnd.getTime())).toEqual({ restricted: false, reason: 'BIZ_QUALITY', until: null });
    expect(next.newChatRestriction(lockEnd.getTime())).toBeUndefined();
    expect((await AccountRestrictions.open(auth, false)).newChatRestriction(beforeLockEnd)).toBeUndefined();
  });

  it.each([
    ['restricted', { ...(locked as object), timeEnforcementEnds: undefined }, true],
    ['not restricted', unlocked, false],
  ])('AccountRestrictions sends one query for repeated checks: %s', async (_, answer, expected) => {
    const { fetchTimelock, restrictions } = await openRestrictions(async () => answer as never);
    expect(await Promise.all([restrictions.isRestricted(), restrictions.isRestricted()])).toEqual([expected, expected]);
    expect(await restrictions.isRestricted()).toBe(expected);
    expect(fetchTimelock).toHaveBeenCalledOnce();
  });

  it('AccountRestrictions.isRestricted() returns undefined when WhatsApp does not answer', async () => {
    const { restrictions } = await openRestrictions();
    expect(restrictions.current()).toBeUndefined();
    expect(await restrictions.isRestricted()).toBeUndefined();
  });

  it('AccountRestrictions ignores reports after the end of the session', async () => {
    const { session, reportTimelock } = await openRestrictions();
    session.end();
    reportTimelock(locked);
    expect(session.ingested).toEqual([]);
  });
});

describe('fromTimeLock and fromNewChatCap', () => {
  const type = 'instance.restricted';

  it('fromTimeLock() maps the reason and the end of a lock', () => {
    const restriction = {
      type,
      kind: 'new_chats_locked',
      restricted: true,
      reason: 'BIZ_QUALITY',
      until: lockEnd.getTime(),
    };
    expect(fromTimeLock(locked)).toEqual(restriction);
    expect(fromTimeLock(unlocked)).toEqual({ type, kind: 'new_chats_locked', restricted: false, reason: 'DEFAULT' });
  });

  it('fromNewChatCap() maps the quota and its period', () => {
    const info = { total_quota: 10, used_quota: 8, cycle_end_timestamp: '1767225600' };
    const quota = { until: lockEnd.getTime(), quota: { total: 10, used: 8 } };
    const warned = fromNewChatCap({ ...info, capping_status: 'FIRST_WARNING' as never });
    expect(warned).toEqual({ type, kind: 'new_chats_capped', restricted: false, reason: 'FIRST_WARNING', ...quota });
    expect(fromNewChatCap({ ...info, capping_status: 'CAPPED' as never })).toMatchObject({ restricted: true });
    expect(fromNewChatCap({})).toEqual({ type, kind: 'new_chats_capped', restricted: false, reason: 'NONE' });
  });
});
