// Reads groups, their participants and their pictures from WhatsApp, and puts them into the session's cache. Decision
// D-043.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import type { GroupParticipant } from '../../events/events.ts';
import { settleWithin } from '../../lib/deadline.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { toGroupMetadata } from '../baileys/queries.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import { HIDDEN_CODES, QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, queryGroup, toGroupError } from './query.ts';
import { type GroupRecord, lookupKnownJids, toGroupJid, toGroupRecord } from './record.ts';

/** The error of the API when WhatsApp refuses to send a group. */
const FAILURE: GroupFailure = { text: 'Error fetching group', status: 404 };

/** Fetches the group `jid`, without the cache. Throws the errors of queryWhatsApp(). */
export async function fetchGroup(session: Session, jid: string): Promise<GroupMetadata> {
  const content = { tag: 'query', attrs: { request: 'interactive' } };
  return toGroupMetadata(
    await queryWhatsApp(session, { tag: 'iq', attrs: { to: jid, type: 'get', xmlns: 'w:g2' }, content: [content] }),
  );
}

/**
 * Fetches one group with participants and picture. Throws the errors of queryGroup(), and INVALID_REQUEST for an
 * invalid group id.
 */
export async function findGroup(session: Session, groupJid: string): Promise<GroupRecord> {
  const jid = toGroupJid(groupJid);
  const group = await session.groups.refresh(jid).catch((error: unknown) => {
    throw toGroupError(error, FAILURE);
  });
  const [knownJids, pictureUrl] = await Promise.all([
    lookupKnownJids(session, [group]),
    fetchGroupPicture(session, jid),
  ]);
  return { ...toGroupRecord(group, knownJids), pictureUrl };
}

/**
 * A participant. `name` is the name that the person chose; null when it is unknown. `imgUrl` is always null, because
 * the store has no pictures of people.
 */
export interface GroupMember extends GroupParticipant {
  name: string | null;
  imgUrl: null;
}

/**
 * Fetches the participants of a group, and adds the names from the store. Throws the errors of queryGroup(), and
 * INVALID_REQUEST for an invalid group id.
 */
export async function findParticipants(session: Session, groupJid: string): Promise<GroupMember[]> {
  const group = await session.groups.refresh(toGroupJid(groupJid)).catch((error: unknown) => {
    throw toGroupError(error, { text: COMPATIBILITY_PHRASES.participants, status: 404 });
  });
  const members = toGroupRecord(group, await lookupKnownJids(session, [group])).participants ?? [];
  const jids = members.flatMap(({ id, lid }) => (lid && lid !== id ? [id, lid] : [id]));
  const contacts = await session.storage.contacts.find(session.instanceId, { jids });
  const me = session.me();
  const names = new Map([
    [me?.jid, me?.name ?? null] as const,
    ...contacts.map(({ jid, pushName }) => [jid, pushName] as const),
  ]);
  return members.map((member) => ({
    ...member,
    name: names.get(member.id) ?? (member.lid && names.get(member.lid)) ?? null,
    imgUrl: null,
  }));
}

/**
 * Fetches all groups of the account. Leaves out a group for which WhatsApp sends no id. Throws the errors of
 * queryGroup().
 */
export async function fetchGroups(
  session: Session,
  { withParticipants }: { withParticipants: boolean },
): Promise<GroupRecord[]> {
  const groups = await session.groups.refreshAll(() => fetchAll(session));
  const pictures = loadMissingPictures(
    session,
    groups.map(({ id }) => id),
  );
  const knownJids = await lookupKnownJids(session, groups);
  await pictures;
  return groups.map((group) => ({
    ...toGroupRecord(group, knownJids, { withParticipants }),
    pictureUrl: session.groups.picture(group.id) ?? null,
  }));
}

/** Queries the metadata of all groups of the account. */
async function fetchAll(session: Session): Promise<GroupMetadata[]> {
  const answer = await queryGroup(session, FAILURE, {
    to: '@g.us',
    type: 'get',
    content: {
      tag: 'participating',
      attrs: {},
      content: [
        { tag: 'participants', attrs: {} },
        { tag: 'description', attrs: {} },
      ],
    },
  });
  return childrenOf(childOf(answer, 'groups'), 'group')
    .filter(({ attrs }) => attrs.id)
    .map((group) => toGroupMetadata({ tag: 'result', attrs: {}, content: [group] }));
}

/** Maximum number of concurrent picture queries per fetchGroups() call. */
const PICTURE_CONCURRENCY = 8;
/** Milliseconds that fetchGroups() waits for pictures. Pictures that arrive later are cached for the next call. */
const PICTURES_TIMEOUT = 10_000;

async function loadMissingPictures(session: Session, jids: readonly string[]): Promise<void> {
  const limiter = createLimiter(PICTURE_CONCURRENCY);
  const missing = jids.filter((jid) => session.groups.picture(jid) === undefined);
  await settleWithin(
    Promise.all(missing.map((jid) => limiter.run(() => fetchGroupPicture(session, jid)))),
    PICTURES_TIMEOUT,
  );
}

/** Returns the picture URL of a group. Null when the group has no picture, or when the query fails or is refused. */
export async function fetchGroupPicture(session: Session, jid: string): Promise<string | null> {
  try {
    return await session.groups.getPicture(jid, () => queryPicture(session, jid));
  } catch (err) {
    session.log.debug({ err }, 'group.picture.failed');
    return null;
  }
}

/**
 * Queries the picture URL of a group. Null when the group has no picture, or none that this account may see. Rejects
 * for other refusals.
 */
async function queryPicture(session: Session, jid: string): Promise<string | null> {
  const node: Stanza = {
    tag: 'iq',
    attrs: { target: jid, to: '@s.whatsapp.net', type: 'get', xmlns: 'w:profile:picture' },
    content: [{ tag: 'picture', attrs: { type: 'image', query: 'url' } }],
  };
  try {
    return childOf(await queryWhatsApp(session, node), 'picture')?.attrs.url ?? null;
  } catch (err) {
    if (err instanceof QueryRefusal && HIDDEN_CODES.includes(err.code)) return null;
    throw err;
  }
}
