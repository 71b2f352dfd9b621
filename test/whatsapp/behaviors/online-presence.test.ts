import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Socket } from '../../../src/whatsapp/baileys/types.ts';
import { applyAlwaysOnline, installOnlinePresence } from '../../../src/whatsapp/behaviors/online-presence.ts';
import type { Account } from '../../../src/whatsapp/session.ts';
import { fakeSession, me } from '../fakes.ts';

/** A session that is logging in, the events of its socket, and the presences that the behavior sent. */
function connecting({ alwaysOnline, name }: { alwaysOnline: boolean; name: string | null }) {
  const ev = new EventEmitter();
  const settings = { alwaysOnline };
  const account: Account = { ...me, name };
  const session = fakeSession({}, { me: () => account });
  // The behavior uses nothing else of the socket.
  installOnlinePresence({ ev } as unknown as Pick<Socket, 'ev'>, session, settings);
  return {
    ...{ session, settings },
    open: () => ev.emit('connection.update', { connection: 'open' }),
    receiveBacklog: () => ev.emit('connection.update', { receivedPendingNotifications: true }),
    learnName(learned: string) {
      account.name = learned;
      ev.emit('creds.update', { me: { name: learned } });
    },
    sent: () => session.calls.map(([, type]) => type),
  };
}

describe('alwaysOnline', () => {
  it('is left to the login when nothing changed', () => {
    const world = connecting({ alwaysOnline: true, name: 'Shop' });
    world.open();
    world.receiveBacklog();
    world.learnName('Another shop');
    expect(world.sent()).toEqual([]);
  });

  it.each([true, false])('applies when it changes to %s while the instance connects', (alwaysOnline) => {
    const world = connecting({ alwaysOnline: !alwaysOnline, name: 'Shop' });
    world.settings.alwaysOnline = alwaysOnline;
    world.open();
    world.receiveBacklog();
    expect(world.sent()).toEqual([alwaysOnline ? 'available' : 'unavailable']);
  });

  it('applies when it changes after the login, before the instance is open', () => {
    const world = connecting({ alwaysOnline: false, name: 'Shop' });
    world.open();
    world.settings.alwaysOnline = true;
    world.receiveBacklog();
    expect(world.sent()).toEqual(['available']);
  });

  it.each([true, false])('applies after linking when the name becomes known, once: %s', (alwaysOnline) => {
    const world = connecting({ alwaysOnline, name: null });
    world.open();
    world.receiveBacklog();
    expect(world.sent()).toEqual([]);
    world.learnName('Shop');
    world.learnName('Another shop');
    expect(world.sent()).toEqual([alwaysOnline ? 'available' : 'unavailable']);
  });

  it('applies a change before the name is known, without an error', async () => {
    const world = connecting({ alwaysOnline: false, name: null });
    world.open();
    world.settings.alwaysOnline = true;
    await applyAlwaysOnline(world.session, world.settings);
    world.learnName('Shop');
    expect(world.sent()).toEqual(['available']);
  });

  it('sends nothing before the login, nor after the session has ended', () => {
    const world = connecting({ alwaysOnline: true, name: null });
    world.learnName('Shop');
    expect(world.sent()).toEqual([]);
    const ended = connecting({ alwaysOnline: true, name: null });
    ended.open();
    ended.session.end();
    ended.learnName('Shop');
    expect(ended.sent()).toEqual([]);
  });
});
