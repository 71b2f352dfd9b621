import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { createGroup } from '../../../src/whatsapp/group/create.ts';
import { acceptInvite, readInvite, revokeInvite } from '../../../src/whatsapp/group/invite.ts';
import { decideJoinRequests, listJoinRequests } from '../../../src/whatsapp/group/join-requests.ts';
import { leaveGroup } from '../../../src/whatsapp/group/leave.ts';
import { updateParticipants } from '../../../src/whatsapp/group/participants.ts';
import { updateDescription, updateSubject } from '../../../src/whatsapp/group/profile.ts';
import { fetchGroups, findGroup, findParticipants } from '../../../src/whatsapp/group/read.ts';
import { toGroupJid } from '../../../src/whatsapp/group/record.ts';
import {
  setGroupDisappearingTimer,
  updateJoinApprovalMode,
  updateMemberAddMode,
  updateSetting,
} from '../../../src/whatsapp/group/settings.ts';
import type { Media } from '../../../src/whatsapp/media/media.ts';
import { sendInvite } from '../../../src/whatsapp/message/group-invite.ts';
import type { Session } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const id = '120363025246125486';
const group = `${id}@g.us`;
const ada = '4915112345678';

const groupNode = (attrs: Record<string, string> = {}, ...content: BinaryNode[]): BinaryNode => ({
  tag: 'group',
  attrs: { id, subject: 'G', creation: '1700000000', addressing_mode: 'lid', ...attrs },
  content: [
    { tag: 'participant', attrs: { jid: '1@lid', phone_number: `${ada}@s.whatsapp.net`, type: 'admin' } },
    ...content,
  ],
});
const result = (...content: BinaryNode[]): BinaryNode => ({ tag: 'iq', attrs: { type: 'result' }, content });
const childOf = ({ content }: BinaryNode): BinaryNode => {
  const [child] = Array.isArray(content) ? content : [];
  if (!child) throw new Error('an empty question');
  return child;
};
/** The error that Baileys throws for `<error code text>`. */
const refusal = (code: number, text = 'forbidden') => Object.assign(new Error(text), { data: code });

/** Creates a session whose platform answers with `answer`. `queries` collects the queries. */
function createSession(answer: (child: BinaryNode, iq: BinaryNode) => unknown) {
  const queries: BinaryNode[] = [];
  const session = fakeSession({
    query: async (iq: BinaryNode) => {
      queries.push(iq);
      return answer(childOf(iq), iq);
    },
  });
  return { session, queries };
}

/** No test of this file sends a file. */
const noMedia = {} as Media;

const operations: [name: string, run: (session: Session) => Promise<unknown>, text: string, kept?: number][] = [
  ['create', (session) => createGroup(session, noMedia, { subject: 'G', participants: [ada] }), 'Error creating group'],
  ['find', (session) => findGroup(session, group), 'Error fetching group', 404],
  ['list', (session) => fetchGroups(session, { withParticipants: true }), 'Error fetching group', 404],
  [
    'add',
    (session) => updateParticipants(session, group, { action: 'add', participants: [ada] }),
    'Error updating participants',
    400,
  ],
  [
    'remove',
    (session) => updateParticipants(session, group, { action: 'remove', participants: [ada] }),
    'Error updating participants',
    400,
  ],
  ['setting', (session) => updateSetting(session, group, 'locked'), 'Error updating setting', 400],
  ['ephemeral', (session) => setGroupDisappearingTimer(session, group, 0), 'Error updating setting', 400],
  ['subject', (session) => updateSubject(session, group, 'H'), 'Error updating group subject'],
  ['description', (session) => updateDescription(session, group, 'D'), 'Error updating group description'],
  ['invite', (session) => readInvite(session, group), 'No invite code', 404],
  ['revoke', (session) => revokeInvite(session, group), 'Revoke error', 404],
  ['send the invite', (session) => sendInvite(session, group, { numbers: [group] }), 'No send invite', 404],
  ['members', (session) => findParticipants(session, group), 'No participants', 404],
  ['leave', (session) => leaveGroup(session, group), 'Unable to leave the group', 400],
  ['requests', (session) => listJoinRequests(session, group), 'Error fetching join requests', 400],
  [
    'decide',
    (session) => decideJoinRequests(session, group, { action: 'approve', participants: [ada] }),
    'Error updating join requests',
    400,
  ],
  ['add mode', (session) => updateMemberAddMode(session, group, 'admin_add'), 'Error updating setting', 400],
  ['approval', (session) => updateJoinApprovalMode(session, group, 'on'), 'Error updating setting', 400],
  ['accept', (session) => acceptInvite(session, 'A'.repeat(22)), 'Accept invite error', 404],
];

describe.each(operations)('group operation "%s"', (_, run, text, fixedStatus) => {
  it.each([
    [401, 'GROUP_FORBIDDEN', 403],
    [403, 'GROUP_FORBIDDEN', 403],
    [404, 'GROUP_NOT_FOUND', 404],
    [406, 'GROUP_REFUSED', 400],
    [500, 'GROUP_REFUSED', 400],
  ])('a group operation reports error %i of WhatsApp as %s', async (code, name, errorStatus) => {
    const { session } = createSession(() => {
      throw refusal(code, 'reason');
    });
    await expect(run(session)).rejects.toMatchObject({
      code: name,
      status: fixedStatus ?? errorStatus,
      responseMessage: [text, 'Error: reason'],
      certain: true,
    });
  });

  it('a group operation reports RATE_LIMITED when WhatsApp answers with error 429', async () => {
    const { session } = createSession(() => {
      throw refusal(429, 'rate-overlimit');
    });
    await expect(run(session)).rejects.toMatchObject({ code: 'RATE_LIMITED', status: 429 });
  });

  it('a group operation throws PLATFORM_TIMEOUT when WhatsApp does not answer', async () => {
    const { session } = createSession(() => undefined);
    await expect(run(session)).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', status: 504 });
  });

  it('a group operation throws INSTANCE_NOT_OPEN and sends no query after the end of the session', async () => {
    const { session, queries } = createSession(() => undefined);
    session.end();
    await expect(run(session)).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN' });
    expect(queries).toEqual([]);
  });
});

describe('lost connections', () => {
  const dropConnection = () => {
    throw Object.assign(new Error('Connection Closed'), { output: { statusCode: 428 } });
  };

  it('a lost connection has an uncertain outcome for updateSubject() and a certain one for readInvite()', async () => {
    await expect(updateSubject(createSession(dropConnection).session, group, 'H')).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: false,
    });
    await expect(readInvite(createSession(dropConnection).session, group)).rejects.toMatchObject({
      code: 'INSTANCE_NOT_OPEN',
      certain: true,
    });
  });
});

describe('toGroupJid', () => {
  it.each([
    group,
    id,
    ` ${group} `,
    `${id}%40g.us`,
    '4915112345678-1600000000',
    '4915112345678-1600000000@g.us',
  ])('toGroupJid() accepts %j', (text) => {
    expect(toGroupJid(text)).toMatch(/^\d+(-\d+)?@g\.us$/);
  });

  it.each([
    '',
    'x',
    'x@g.us',
    '12@s.whatsapp.net',
    '../12@g.us',
    '12@g.us@g.us',
    '12 34',
    '-12',
    '１２@g.us',
  ])('toGroupJid() rejects %j', (text) => {
    expect(() => toGroupJid(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', status: 400 }));
  });
});

describe('records of groups', () => {
  it('findGroup() returns all required fields when WhatsApp sends only the id of the group', async () => {
    const { session } = createSession((child) => {
      if (child.tag === 'picture') throw refusal(404, 'item-not-found');
      return result({ tag: 'group', attrs: { id } });
    });
    expect(await findGroup(session, group)).toEqual({
      id: group,
      subject: '',
      subjectOwner: '',
      subjectTime: 0,
      pictureUrl: null,
      size: 0,
      creation: 0,
      owner: '',
      restrict: false,
      announce: false,
      isCommunity: false,
      isCommunityAnnounce: false,
      memberAddMode: false,
      joinApprovalMode: false,
      addressingMode: 'pn',
      participants: [],
    });
  });

  it('findGroup() returns phone numbers for the people whose numbers the group contains', async () => {
    const { session } = createSession((child) =>
      child.tag === 'picture' ? result() : result(groupNode({ creator: '1@lid', s_o: '7@lid' })),
    );
    const found = await findGroup(session, group);
    expect(found).toMatchObject({ owner: `${ada}@s.whatsapp.net`, subjectOwner: '7@lid' });
    expect(found.participants).toEqual([{ id: `${ada}@s.whatsapp.net`, admin: 'admin', lid: '1@lid' }]);
  });
});

describe('fetchGroups', () => {
  const manyGroups = Array.from({ length: 40 }, (_, n) => groupNode({ id: `12036302524612${n + 1000}` }));

  it('fetchGroups() sends at most 8 picture queries at the same time and caches the pictures', async () => {
    let running = 0;
    let maxRunning = 0;
    const { session, queries } = createSession(async (child, iq) => {
      if (child.tag !== 'picture') return result({ tag: 'groups', attrs: {}, content: manyGroups });
      maxRunning = Math.max(maxRunning, ++running);
      await Promise.resolve();
      running--;
      return result({ tag: 'picture', attrs: { url: `https://pps.example/${iq.attrs.target}` } });
    });
    const groups = await fetchGroups(session, { withParticipants: false });
    expect(groups.map(({ id: one, pictureUrl }) => pictureUrl === `https://pps.example/${one}`)).not.toContain(false);
    expect(maxRunning).toBeGreaterThan(1);
    expect(maxRunning).toBeLessThanOrEqual(8);
    await fetchGroups(session, { withParticipants: false });
    expect(queries).toHaveLength(1 + manyGroups.length + 1);
  });

  it('fetchGroups() returns groups without pictures when the picture queries fail', async () => {
    const { session } = createSession((child) => {
      if (child.tag === 'picture') throw refusal(401);
      return result({ tag: 'groups', attrs: {}, content: manyGroups.slice(0, 2) });
    });
    expect(await fetchGroups(session, { withParticipants: false })).toMatchObject([
      { pictureUrl: null },
      { pictureUrl: null },
    ]);
  });
});

describe('updateParticipants', () => {
  it('updateParticipants() looks up all unknown numbers in one query', async () => {
    const { session } = createSession((child) => result(child));
    const numbers = ['4915100000001', '4915100000002', '4915100000003'];
    await updateParticipants(session, group, { action: 'add', participants: numbers });
    expect(session.calls.filter(([name]) => name === 'onWhatsApp')).toEqual([['onWhatsApp', ...numbers]]);
  });

  it('updateParticipants() addresses a member by LID when the group uses LIDs', async () => {
    const { session, queries } = createSession((child) =>
      child.tag === 'query' ? result(groupNode()) : result(child),
    );
    const results = await updateParticipants(session, group, { action: 'demote', participants: [`+${ada}`] });
    expect(childOf(queries[1] ?? { tag: '', attrs: {} }).content).toEqual([
      { tag: 'participant', attrs: { jid: '1@lid' } },
    ]);
    expect(results).toMatchObject([{ status: '200' }]);
  });

  it('updateParticipants() finds a member by the stored LIDs when the group contains no phone number', async () => {
    const participants = [{ tag: 'participant', attrs: { jid: '7@lid' } }];
    const members = groupNode();
    const { session, queries } = createSession((child) =>
      child.tag === 'query'
        ? result({ ...members, content: participants })
        : result({ ...child, content: participants }),
    );
    const stored: Record<string, string> = { [ada]: '7', '7_reverse': ada };
    const get = async (_type: string, ids: string[]) =>
      Object.fromEntries(ids.flatMap((key) => (key in stored ? [[key, stored[key]]] : [])));
    Object.assign(session.socket.authState.keys, { get });
    const results = await updateParticipants(session, group, { action: 'remove', participants: [ada] });
    expect(childOf(queries[1] ?? { tag: '', attrs: {} }).content).toEqual(participants);
    expect(results).toMatchObject([{ status: '200', jid: `${ada}@s.whatsapp.net` }]);
  });
});

describe('updateDescription', () => {
  it('updateDescription() retries after a conflict with another change', async () => {
    let descId = 'A';
    const { session, queries } = createSession((child) => {
      if (child.tag === 'query') return result(groupNode({}, { tag: 'description', attrs: { id: descId } }));
      if (child.attrs.prev === 'B') return result();
      descId = 'B';
      throw refusal(409, 'conflict');
    });
    await updateDescription(session, group, 'text');
    expect(queries.map((iq) => childOf(iq).tag)).toEqual(['query', 'description', 'query', 'description']);
  });
});

describe('createGroup', () => {
  it('createGroup() succeeds and reports the failed field when WhatsApp refuses the description', async () => {
    const { session } = createSession((child) => {
      if (child.tag === 'description') throw refusal(406, 'not-acceptable');
      return result(groupNode());
    });
    const created = await createGroup(session, noMedia, { subject: 'G', description: 'D', participants: [ada] });
    expect(created).toMatchObject({ id: group, size: 1, updateParticipants: [{ status: '200' }] });
    expect(created).not.toHaveProperty('desc');
    expect(created.failed).toEqual([{ field: 'description', code: 'GROUP_REFUSED', message: 'Error: not-acceptable' }]);
  });

  const members = [
    { tag: 'participant', attrs: { jid: '2@lid' } },
    { tag: 'participant', attrs: { jid: '3@lid' } },
  ];
  const promotionInput = { subject: 'G', participants: [ada], promoteParticipants: true };

  it('createGroup() makes its members admins and reports how many promotions WhatsApp refused', async () => {
    const refusedMember = { tag: 'participant', attrs: { jid: '3@lid', error: '404' } };
    const { session, queries } = createSession((child) => {
      const promotion = { tag: 'promote', attrs: {}, content: [...members.slice(0, 1), refusedMember] };
      return result(child.tag === 'promote' ? promotion : groupNode({}, ...members));
    });
    const created = await createGroup(session, noMedia, promotionInput);
    expect(queries.map(childOf).find(({ tag }) => tag === 'promote')?.content).toEqual(members);
    expect(created.participants?.map(({ admin }) => admin)).toEqual(['admin', 'admin', null]);
    expect(created.failed).toMatchObject([
      { field: 'promoteParticipants', code: 'GROUP_REFUSED', message: '1 of 2 participants were not promoted' },
    ]);
  });

  it.each([
    ['refuses the promotion', () => Promise.reject(refusal(403)), 'GROUP_FORBIDDEN'],
    ['does not answer the promotion', () => undefined, 'PLATFORM_TIMEOUT'],
  ])('createGroup() with a promotion of its members succeeds when WhatsApp %s', async (_, answer, code) => {
    const { session } = createSession((child) =>
      child.tag === 'promote' ? answer() : result(groupNode({}, ...members)),
    );
    const created = await createGroup(session, noMedia, promotionInput);
    expect(created).toMatchObject({ id: group, failed: [{ field: 'promoteParticipants', code }] });
  });
});

it('sendInvite() reports an uncertain outcome when only some messages were certainly not sent', async () => {
  const { session } = createSession(() => result({ tag: 'invite', attrs: { code: 'A'.repeat(22) } }));
  session.socket.relayMessage = async () => {
    throw new Error('the write failed');
  };
  await expect(sendInvite(session, group, { numbers: [ada, '15550000000'] })).rejects.toMatchObject({
    code: 'SEND_INTERRUPTED',
    certain: false,
  });
});
