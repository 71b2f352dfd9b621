// Converts groups and their changes to stanza elements, for query results and notifications.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { type Attributes, addressingOf, shownJidOf, shownPnJid } from './delivery.ts';
import type { Group, GroupChange, MemberResult } from './group.ts';
import type { Account } from './model.ts';
import { lidJid } from './world.ts';

const idWithoutServer = ({ id }: Group) => id.replace('@g.us', '');

/**
 * Returns attributes with the addresses of an account. `<name>` is the JID by which the group addresses the account.
 * `<name>_pn` or `<name>_lid` is its second JID, by phone number or by LID (an address without the phone number).
 * `<name>_username` is its username. `<name>_pn` is left out when the account hides its number.
 */
export function addressAttributes({ addressing }: Group, name: string, account: Account): Attributes {
  const jid = shownJidOf(addressing, account);
  const username = { [`${name}_username`]: account.username };
  if (addressingOf(jid) === 'lid') return { [name]: jid, [`${name}_pn`]: shownPnJid(account), ...username };
  return { [name]: jid, [`${name}_lid`]: lidJid(account), ...username };
}

/** Attributes of a group message: the group, and the device that sent it. */
export const groupAuthorAttributes = (group: Group, author: Account, device = 0): Attributes => {
  const participant = shownJidOf(group.addressing, author, device);
  return {
    from: group.id,
    ...addressAttributes(group, 'participant', author),
    // Replaces the JID of the account with the JID of the device.
    participant,
    addressing_mode: addressingOf(participant),
  };
};

/** `<participant jid type?/>` for a member. `phone_number` or `lid` is the second address of the member. */
export function memberNode(group: Group, account: Account): BinaryNode {
  const rank = group.members.get(account);
  const jid = shownJidOf(group.addressing, account);
  const secondAddress = addressingOf(jid) === 'lid' ? { phone_number: shownPnJid(account) } : { lid: lidJid(account) };
  return element('participant', {
    jid,
    ...secondAddress,
    username: account.username,
    type: rank === 'member' ? undefined : rank,
  });
}

/**
 * `<participant jid error?/>`: the result of a change for one account, such as adding it. `<add_request>` contains a
 * personal invitation for an account that could not be added.
 */
export function memberResultNode(group: Group, { jid, account, status, invitation }: MemberResult): BinaryNode {
  const attrs = account ? memberNode(group, account).attrs : { jid };
  const content = invitation && [
    element('add_request', { code: invitation.code, expiration: String(invitation.expiration) }),
  ];
  return element('participant', { ...attrs, error: status === 200 ? undefined : String(status) }, content);
}

/**
 * `<group>` with all data of the group. `s_t` and `s_o` are time and author of the subject, `p_v_id` is the version of
 * the member list. For each failed result in `results`, the element also contains a `<participant error>`.
 */
export function groupNode(group: Group, results: readonly MemberResult[] = []): BinaryNode {
  const { subject, description, creator, members } = group;
  const attrs = {
    id: idWithoutServer(group),
    subject: subject.text,
    s_t: String(subject.at),
    ...addressAttributes(group, 's_o', subject.by),
    creation: String(group.creation),
    ...addressAttributes(group, 'creator', creator),
    addressing_mode: group.addressing,
    p_v_id: String(group.version),
    size: String(members.size),
  };
  const content = [
    ...Array.from(members.keys(), (account) => memberNode(group, account)),
    ...results.filter(({ status }) => status !== 200).map((result) => memberResultNode(group, result)),
    ...(description ? [descriptionNode(group)] : []),
    ...(group.announcement ? [element('announcement')] : []),
    ...(group.locked ? [element('locked')] : []),
    ...(group.messageLifetime ? [element('ephemeral', { expiration: String(group.messageLifetime) })] : []),
    element('member_add_mode', {}, group.memberAddMode),
    ...(group.approval ? [approvalNode(group)] : []),
  ];
  return element('group', attrs, content);
}

/** `<group>` without participants, for an account that has an invitation but is not a member. */
export function invitationNode(group: Group): BinaryNode {
  const { attrs, content } = groupNode(group);
  const visible = Array.isArray(content) ? content.filter(({ tag }) => tag !== 'participant') : [];
  return element('group', attrs, visible);
}

function descriptionNode(group: Group): BinaryNode {
  const { description } = group;
  if (!description) return element('description', { delete: 'true' });
  const attrs = {
    id: description.id,
    ...addressAttributes(group, 'participant', description.by),
    t: String(description.at),
  };
  return element('description', attrs, [element('body', {}, description.text)]);
}

const approvalNode = ({ approval }: Group) =>
  element('membership_approval_mode', {}, [element('group_join', { state: approval ? 'on' : 'off' })]);

/** The change as a child element of the notification for the account `reader`. A new member gets the whole group. */
export function changeNode({ group, kind, accounts, reason }: GroupChange, reader: Account): BinaryNode {
  switch (kind) {
    case 'create':
      return element('create', { type: 'new' }, [groupNode(group)]);
    case 'add':
      if (accounts.includes(reader)) return element('create', { reason }, [groupNode(group)]);
      return membershipNode(group, kind, accounts, reason);
    case 'remove':
    case 'promote':
    case 'demote':
      return membershipNode(group, kind, accounts);
    case 'subject':
      return element('subject', {
        subject: group.subject.text,
        s_t: String(group.subject.at),
        ...addressAttributes(group, 's_o', group.subject.by),
      });
    case 'description':
      return descriptionNode(group);
    case 'announcement':
      return element(group.announcement ? 'announcement' : 'not_announcement');
    case 'locked':
      return element(group.locked ? 'locked' : 'unlocked');
    case 'ephemeral':
      return group.messageLifetime
        ? element('ephemeral', { expiration: String(group.messageLifetime) })
        : element('not_ephemeral');
    case 'member_add_mode':
      return element('member_add_mode', {}, group.memberAddMode);
    case 'membership_approval_mode':
      return approvalNode(group);
    case 'invite':
      return element('invite', { code: group.inviteCode });
    case 'picture':
      return element(group.picture ? 'set' : 'delete', { jid: group.id, id: group.picture?.id });
    case 'created_membership_requests':
      return requestsNode(group, kind, accounts, { request_method: 'invite_link' });
    case 'revoked_membership_requests':
      return requestsNode(group, kind, accounts);
  }
}

/** The accounts of a change of membership, with the versions of the member list before and after the change. */
function membershipNode(group: Group, tag: string, accounts: readonly Account[], reason?: string): BinaryNode {
  const attrs = { reason, prev_v_id: String(group.version - 1), v_id: String(group.version) };
  return element(
    tag,
    attrs,
    accounts.map((account) => memberNode(group, account)),
  );
}

/** Join requests. Each person is a `<requested_user>` in new requests, and a `<participant>` in revoked requests. */
function requestsNode(
  group: Group,
  tag: 'created_membership_requests' | 'revoked_membership_requests',
  accounts: readonly Account[],
  attrs = {},
): BinaryNode {
  const personTag = tag === 'created_membership_requests' ? 'requested_user' : 'participant';
  const people = accounts.map((account) => element(personTag, memberNode(group, account).attrs));
  return element(tag, attrs, people);
}
