import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Socket } from '../../../src/whatsapp/baileys/types.ts';
import { applyAlwaysOnline, installOnlinePresence } from '../../../src/whatsapp/behaviors/online-presence.ts';
import type { Account } from '../../../src/whatsapp/session.ts';
import { fakeSession, me } from '../../support/session-fakes.ts';

/**
 * Starts the login of an instance. Returns its session and settings, functions that emit events, and the sent
 * presences.
 */
function connectInstance({ alwaysOnline, name }: { alwaysOnline: boolean; name: string | null }) {
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
    learnName(newName: string) {
      account.name = newName;
      ev.emit('creds.update', { me: { name: newName } });
    },
    sent: () => session.calls.map(([, type]) => type),
  };
}

describe('online presence', () => {
  it('installOnlinePresence() sends no presence when alwaysOnline does not change while the instance connects', () => {
    const instance = connectInstance({ alwaysOnline: true, name: 'Shop' });
    instance.open();
    instance.receiveBacklog();
    instance.learnName('Another shop');
    expect(instance.sent()).toEqual([]);
  });

  it.each([
    true,
    false,
  ])('installOnlinePresence() sends one presence when alwaysOnline changes to %s while the instance connects', (alwaysOnline) => {
    const instance = connectInstance({ alwaysOnline: !alwaysOnline, name: 'Shop' });
    instance.settings.alwaysOnline = alwaysOnline;
    instance.open();
    instance.receiveBacklog();
    expect(instance.sent()).toEqual([alwaysOnline ? 'available' : 'unavailable']);
  });

  it('installOnlinePresence() sends the presence when alwaysOnline changes after the login but before the instance opens', () => {
    const instance = connectInstance({ alwaysOnline: false, name: 'Shop' });
    instance.open();
    instance.settings.alwaysOnline = true;
    instance.receiveBacklog();
    expect(instance.sent()).toEqual(['available']);
  });

  it.each([
    true,
    false,
  ])('installOnlinePresence() sends the presence once when the name becomes known after linking: alwaysOnline %s', (alwaysOnline) => {
    const instance = connectInstance({ alwaysOnline, name: null });
    instance.open();
    instance.receiveBacklog();
    expect(instance.sent()).toEqual([]);
    instance.learnName('Shop');
    instance.learnName('Another shop');
    expect(instance.sent()).toEqual([alwaysOnline ? 'available' : 'unavailable']);
  });

  it('a change of alwaysOnline before the name is known takes effect when the name becomes known', async () => {
    const instance = connectInstance({ alwaysOnline: false, name: null });
    instance.open();
    instance.settings.alwaysOnline = true;
    await applyAlwaysOnline(instance.session, instance.settings);
    instance.learnName('Shop');
    expect(instance.sent()).toEqual(['available']);
  });

  it('installOnlinePresence() sends no presence before the login or after the end of the session', () => {
    const instance = connectInstance({ alwaysOnline: true, name: null });
    instance.learnName('Shop');
    expect(instance.sent()).toEqual([]);
    const endedInstance = connectInstance({ alwaysOnline: true, name: null });
    endedInstance.open();
    endedInstance.session.end();
    endedInstance.learnName('Shop');
    expect(endedInstance.sent()).toEqual([]);
  });
});
