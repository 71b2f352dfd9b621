import { describe, expect, it } from 'vitest';
import { provisionCompanion } from '../src/world/adv.ts';
import { createDevices } from '../src/world/devices.ts';
import { Faults } from '../src/world/faults.ts';
import { createWorld, deliverNotification, lidJid, pnJid, queueKey } from '../src/world/world.ts';

const createEmpty = () => createWorld({ faults: new Faults() });

describe('numbers', () => {
  it.each(['491700000000', '49170abc', '0491700000001', '123', ''])('the number %j is not on WhatsApp', (number) => {
    const world = createEmpty();
    expect(world.isOnWhatsApp(number)).toBe(false);
    expect(() => world.account(number)).toThrow(RangeError);
    expect(world.byJid(`${number}@s.whatsapp.net`)).toBeUndefined();
  });

  it('a number becomes one account at its first use', () => {
    const world = createEmpty();
    const account = world.byJid('491700000001:3@s.whatsapp.net');
    expect(account?.number).toBe('491700000001');
    expect(world.account('491700000001')).toBe(account);
    expect(account && world.byJid(lidJid(account, 3))).toBe(account);
  });

  it('byJid() finds no account for the LID of an account that does not exist yet, or for an invalid JID', () => {
    expect(createEmpty().byJid('123456789012345@lid')).toBeUndefined();
    expect(createEmpty().byJid('not a jid')).toBeUndefined();
  });
});

describe('companions', () => {
  it('a companion is found only by the two addresses of its device', () => {
    const world = createEmpty();
    const account = world.account('491700000001');
    const { companion } = provisionCompanion(account, world.now());
    createDevices(world).add(companion);
    expect(world.companion(pnJid(account, 1))).toBe(companion);
    expect(world.companion(lidJid(account, 1))).toBe(companion);
    expect(world.companion(pnJid(account))).toBeUndefined();
    expect(world.companion(pnJid(account, 2))).toBeUndefined();
  });

  it('a companion keeps a stanza in the queue until an ack with its attributes arrives', () => {
    const world = createEmpty();
    const account = world.account('491700000001');
    const { companion } = provisionCompanion(account, world.now());
    deliverNotification(world, companion, pnJid(account), 'devices', []);
    const [queued] = companion.queue;
    const { id, from, type } = queued?.node.attrs ?? {};
    expect(
      world.acknowledge(companion, queueKey('notification', { id: id ?? '', from: from ?? '', type: 'other' })),
    ).toBe(false);
    expect(
      world.acknowledge(companion, queueKey('notification', { id: id ?? '', from: from ?? '', type: type ?? '' })),
    ).toBe(true);
    expect(companion.queue).toEqual([]);
  });

  it('an offline companion keeps the newest 50,000 stanzas', () => {
    const world = createEmpty();
    const account = world.account('491700000001');
    const { companion } = provisionCompanion(account, world.now());
    for (let n = 0; n < 50_001; n++) world.deliver(companion, `n${n}`, { tag: 'notification', attrs: {} });
    expect(companion.queue).toHaveLength(50_000);
    expect(companion.queue.at(0)?.key).toBe('n1');
    expect(companion.queue.at(-1)?.key).toBe('n50000');
  });

  it('an offline companion keeps the newest 64 MiB of stanzas', () => {
    const world = createEmpty();
    const { companion } = provisionCompanion(world.account('491700000001'), world.now());
    const content = Buffer.alloc(15 * 1024 * 1024 - 100);
    for (let n = 0; n < 5; n++) world.deliver(companion, `n${n}`, { tag: 'notification', attrs: {}, content });
    expect(companion.queue.map(({ key }) => key)).toEqual(['n1', 'n2', 'n3', 'n4']);
    world.acknowledge(companion, 'n1');
    world.deliver(companion, 'n5', { tag: 'notification', attrs: {}, content });
    expect(companion.queue.map(({ key }) => key)).toEqual(['n2', 'n3', 'n4', 'n5']);
  });

  it('a companion gets no stanza that does not fit in a frame', () => {
    const world = createEmpty();
    const account = world.account('491700000001');
    const { companion } = provisionCompanion(account, world.now());
    const content = [{ tag: 'device', attrs: {}, content: Buffer.alloc(16 * 1024 * 1024) }];
    expect(() => deliverNotification(world, companion, pnJid(account), 'devices', content)).toThrow(RangeError);
    expect(companion.queue).toEqual([]);
  });
});
