// Webhook events of groups. Each kind of addressing has one test, which makes all changes in one world.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { element } from '../../packages/sandbox/src/lib/binary-node.ts';
import { addressAttributes, memberNode } from '../../packages/sandbox/src/world/group-node.ts';
import { deliverNotification, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import {
  ada,
  bob,
  createAdasGroup,
  createOwnGroup,
  eve,
  groupOf,
  jid,
  ownNumber,
  startLinked,
} from '../support/group.ts';
import type { Post } from '../support/receiver.ts';

const lid = expect.stringMatching(/^\d+@lid$/);
const byAda = { author: jid(ada), authorAlt: lid };
const person = (number: string) => ({ jid: jid(number), phoneNumber: number, lid });

/** Runs `act` and resolves with the `data` of the next event with this name. */
async function eventAfter(
  world: World,
  event: string,
  act: () => unknown,
  matches = (_: Post) => true,
): Promise<unknown> {
  const postsBefore = world.receiver.posts.length;
  await act();
  const received = await world.receiver.next(
    (received) => isEvent(received.body, event, 'sales') && matches(received),
    {
      after: postsBefore,
    },
  );
  return at(received.body, 'data');
}

describe.each(['lid', 'pn'] as const)('groups addressed by %s', (mode) => {
  it('webhooks report all changes of a group and name its members by phone number', async () => {
    const world = await startLinked();
    const { groups, world: platform } = world.sandbox;
    const adasAccount = platform.account(ada);
    const participantOf = (number: string) => [pnJid(platform.account(number))];

    const created = await eventAfter(world, 'groups.upsert', () =>
      groups.create(adasAccount, 'Theirs', [jid(ownNumber), jid(bob)], { addressing: mode, description: 'All of it' }),
    );
    expect(created).toMatchObject([
      {
        ...{ subject: 'Theirs', desc: 'All of it', owner: jid(ada), subjectOwner: jid(ada), size: 3 },
        ...{ announce: false, restrict: false, addressingMode: mode, ...byAda },
        participants: [
          { id: jid(ada), admin: 'superadmin', lid },
          { id: jid(ownNumber), admin: null, lid },
          { id: jid(bob), admin: null, lid },
        ],
      },
    ]);
    const group = groupOf(world, textAt(created, '0.id'));
    const { id } = group;

    const changes: [() => unknown, object][] = [
      [() => groups.setSubject(group, adasAccount, 'Renamed'), { subject: 'Renamed', ...byAda }],
      [() => groups.setDescription(group, adasAccount, 'New'), { desc: 'New', ...byAda }],
      [() => groups.setDescription(group, adasAccount, ''), { desc: '', ...byAda }],
      [() => groups.setAnnouncement(group, adasAccount, true), { announce: true, ...byAda }],
      [() => groups.setLocked(group, adasAccount, true), { restrict: true, ...byAda }],
      [() => groups.setMemberAddMode(group, adasAccount, 'all_member_add'), { memberAddMode: true, ...byAda }],
      [() => groups.setApproval(group, adasAccount, true), { joinApprovalMode: true, ...byAda }],
      [() => groups.setMessageLifetime(group, adasAccount, 86_400), { ephemeralDuration: 86_400 }],
      [() => groups.setMessageLifetime(group, adasAccount, 0), { ephemeralDuration: 0 }],
      [() => groups.setPicture(group, adasAccount, { id: '7', bytes: Buffer.from('x') }), { picture: 'changed' }],
      [() => groups.setPicture(group, adasAccount, undefined), { picture: 'removed' }],
    ];
    for (const [change, data] of changes) {
      expect(await eventAfter(world, 'groups.update', change)).toEqual([{ id, ...data }]);
    }

    const actions = ['promote', 'demote', 'remove'] as const;
    for (const action of actions) {
      const received = await eventAfter(world, 'group-participants.update', () =>
        groups.change(group, adasAccount, action, participantOf(bob)),
      );
      const people = { participants: [jid(bob)], participantsData: [expect.objectContaining(person(bob))] };
      expect(received).toEqual({ id, action, ...byAda, ...people });
    }

    /** Notifies the instance of a change by Ada for which the sandbox has no operation. */
    const notify = (change: BinaryNode) => {
      const { attrs } = element('notification', addressAttributes(group, 'participant', adasAccount));
      for (const companion of platform.account(ownNumber).companions.values())
        deliverNotification(platform, companion, id, 'w:gp2', [change], attrs);
    };
    const renumbered = await eventAfter(world, 'group-participants.update', () =>
      notify({ tag: 'modify', attrs: {}, content: [memberNode(group, adasAccount)] }),
    );
    const renumberedPeople = { participants: [jid(ada)], participantsData: [person(ada)] };
    expect(renumbered).toEqual({ id, action: 'modify', ...byAda, ...renumberedPeople });

    const requested = await eventAfter(world, 'group.join-request', () => {
      group.members.set(platform.account(ownNumber), 'admin');
      groups.join(platform.account(bob), group.inviteCode);
    });
    const requester = { id, participant: jid(bob), participantData: person(bob) };
    expect(requested).toMatchObject({ ...requester, action: 'created', method: 'invite_link', author: jid(bob) });
    const refused = await eventAfter(world, 'group.join-request', () =>
      groups.decideRequests(group, adasAccount, 'reject', participantOf(bob)),
    );
    expect(refused).toMatchObject({ ...requester, action: 'rejected', ...byAda });
    const personIn = (tag: string, number: string) => ({ ...memberNode(group, platform.account(number)), tag });
    for (const [tag, action, personTag, attrs] of [
      ['created_membership_requests', 'created', 'requested_user', { request_method: 'non_admin_add' }],
      ['revoked_membership_requests', 'rejected', 'participant', {}],
    ] as const) {
      const postsBefore = world.receiver.posts.length;
      notify({ tag, attrs, content: [personIn(personTag, bob), personIn(personTag, eve)] });
      for (const number of [bob, eve]) {
        const isOfPerson = ({ body }: Post) =>
          isEvent(body, 'group.join-request') && at(body, 'data.participant') === jid(number);
        const { body } = await world.receiver.next(isOfPerson, { after: postsBefore });
        const participantData = { jid: jid(number), phoneNumber: number, lid };
        expect(at(body, 'data')).toMatchObject({ id, action, participantData, ...byAda });
      }
    }
    groups.join(platform.account(eve), group.inviteCode);
    const approved = await eventAfter(world, 'group-participants.update', () =>
      groups.decideRequests(group, adasAccount, 'approve', participantOf(eve)),
    );
    expect(approved).toMatchObject({ id, action: 'add', participants: [jid(eve)] });

    const departed = await eventAfter(world, 'group-participants.update', () =>
      groups.leave(group, platform.account(eve)),
    );
    expect(departed).toMatchObject({ id, action: 'remove', participants: [jid(eve)], author: jid(eve) });
    const removed = await eventAfter(world, 'group-participants.update', () =>
      groups.change(group, adasAccount, 'remove', participantOf(ownNumber)),
    );
    expect(removed).toMatchObject({
      id,
      action: 'remove',
      participants: [jid(ownNumber)],
      participantsData: [person(ownNumber)],
    });
    const rejoined = await eventAfter(world, 'groups.upsert', () =>
      groups.add(group, adasAccount, participantOf(ownNumber)),
    );
    expect(rejoined).toMatchObject([{ id, subject: 'Renamed', announce: true, ...byAda }]);
  });
});

describe('groups of the instance', () => {
  it('events of own groups go to subscribers of either event name, and changes during a downtime follow later', async () => {
    const world = await startLinked();
    const subscribe = (events: string[]) =>
      world.api('POST', '/webhook/set/sales', { url: world.receiver.url, enabled: true, events });
    const group = await createOwnGroup(world);
    const upsert = await world.receiver.next((post) => isEvent(post.body, 'groups.upsert'));
    expect(at(upsert.body, 'data')).toMatchObject([
      { id: group.id, subject: 'Ours', owner: jid(ownNumber), author: jid(ownNumber) },
    ]);

    for (const [name, subject] of [
      ['GROUP_UPDATE', 'One'],
      ['GROUPS_UPDATE', 'Two'],
    ] as const) {
      await subscribe([name]);
      const received = await eventAfter(world, 'groups.update', () =>
        world.api('PUT', `/group/updateGroupSubject/sales?groupJid=${group.id}`, { subject }),
      );
      expect(received).toMatchObject([{ id: group.id, subject, author: jid(ownNumber) }]);
    }

    await world.gateway.stop();
    const { groups, world: platform } = world.sandbox;
    groups.leave(group, platform.account(bob));
    groups.setSubject(group, platform.account(ada), 'Three');
    await restartAndSubscribe(world, subscribe);
    const afterRestart = await world.receiver.next(
      (post) => isEvent(post.body, 'groups.update') && at(post.body, 'data.0.subject') === 'Three',
    );
    expect(at(afterRestart.body, 'data')).toMatchObject([{ id: group.id, author: jid(ada) }]);
  });

  it('read receipts in a group name the reader by phone number, also a member without an earlier message', async () => {
    const world = await startWorld();
    const group = createAdasGroup(world);
    await world.link('sales', ownNumber);
    const body = { number: group.id, textMessage: { text: 'Who is there?' } };
    const sent = await world.api('POST', '/message/sendText/sales', body);
    const id = textAt(sent.body, 'key.id');
    const phone = world.sandbox.phones.phone(bob);
    await phone.waitFor(() => phone.messages().some((message) => message.id === id));
    phone.read(group.id);
    const read = await world.receiver.next(
      (post) => isEvent(post.body, 'messages.update') && at(post.body, 'data.status') === 'READ',
    );
    expect(at(read.body, 'data')).toMatchObject({ participant: jid(bob), key: { id, participantAlt: lid } });
  });

  it('groupsIgnore leaves out all events of groups', async () => {
    const world = await startLinked();
    const created = await world.api('POST', '/instance/create', {
      ...{ instanceName: 'quiet', qrcode: true, webhook: world.receiver.url, groupsIgnore: true },
    });
    await world.sandbox.pairing.scanQr(eve, textAt(created.body, 'qrcode.code'));
    await world.receiver.next(
      (post) => isEvent(post.body, 'connection.update', 'quiet') && at(post.body, 'data.state') === 'open',
    );
    const group = createAdasGroup(world, [ownNumber, eve]);
    const { groups, world: platform } = world.sandbox;
    groups.setSubject(group, platform.account(ada), 'Secret');
    groups.change(group, platform.account(ada), 'promote', [jid(eve)]);
    // This direct message follows the group changes, and it is posted.
    await world.sandbox.phones.phone(ada).send(eve, { text: 'after all that' });
    await world.receiver.next((post) => isEvent(post.body, 'messages.upsert', 'quiet'));
    const names = world.receiver.posts
      .filter((post) => at(post.body, 'instance') === 'quiet')
      .map((post) => textAt(post.body, 'event'));
    expect(names.filter((name) => name.startsWith('group'))).toEqual([]);
  });
});

/** Restarts the gateway and subscribes the webhook to all events. */
async function restartAndSubscribe(world: World, subscribe: (events: string[]) => Promise<unknown>): Promise<void> {
  await world.restart();
  await subscribe([]);
}
