// Groups for tests. The instance `sales` has the number `mine`. Groups are created by the instance or by the phone of
// Ada.
import { expect } from 'vitest';
import type { Group } from '../../packages/sandbox/src/world/group.ts';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { textAt } from './api.ts';
import { startWorld, type World, type WorldOptions } from './gateway.ts';

export const ownNumber = '15550004001';
export const ada = '15550004002';
export const bob = '15550004003';
export const eve = '15550004004';

export const jid = (number: string) => `${number}@s.whatsapp.net`;

export async function startLinked(options?: WorldOptions): Promise<World> {
  const world = await startWorld(options);
  await world.link('sales', ownNumber);
  return world;
}

/** Creates a group of the instance with Ada and Bob. The instance is the superadmin. */
export async function createOwnGroup(world: World): Promise<Group> {
  const created = await world.api('POST', '/group/create/sales', { subject: 'Ours', participants: [ada, bob] });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return groupOf(world, textAt(created.body, 'id'));
}

/** Creates a group of Ada. The instance is a member without a rank, unless `numbers` omits it. */
export function createAdasGroup({ sandbox }: World, numbers = [ownNumber, bob]): Group {
  const { world, groups } = sandbox;
  const [group] = groups.create(
    world.account(ada),
    'Theirs',
    numbers.map((number) => pnJid(world.account(number))),
  );
  return group;
}

export function groupOf({ sandbox }: World, id: string): Group {
  const group = sandbox.groups.get(id);
  if (!group) throw new Error(`the platform knows no group ${id}`);
  return group;
}

/** The rank of every member on the platform, by number. */
export const ranks = (group: Group): Record<string, string> =>
  Object.fromEntries([...group.members].map(([account, rank]) => [account.number, rank]));
