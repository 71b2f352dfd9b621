import { expect, it } from 'vitest';
import { patchNotificationAcks } from '../../../../src/whatsapp/baileys/patches/notification-acks.ts';
import { withSocket } from '../unconnected-socket.ts';

it('patchNotificationAcks() emits the events of a notification at once, and acknowledges it after they are stored', async () => {
  await withSocket(async (socket) => {
    const steps: string[] = [];
    const stored = Promise.withResolvers<void>();
    socket.ev.on('groups.update', () => steps.push('emitted'));
    patchNotificationAcks(socket, () => {
      steps.push('waiting');
      return stored.promise;
    });
    socket.ev.buffer();
    const acknowledgment = socket.notificationMutex
      .mutex(async () => {
        socket.ev.emit('groups.update', [{ id: '1@g.us' }]);
        return 'handled';
      })
      .then((result) => steps.push(`acknowledged, ${result}`));
    await expect.poll(() => steps).toEqual(['emitted', 'waiting']);
    stored.resolve();
    await acknowledgment;
    expect(steps).toEqual(['emitted', 'waiting', 'acknowledged, handled']);
  });
});
