// Answers changes of the status text (xmlns `status`, and `w:mex`, WhatsApp's GraphQL queries), and queries and changes
// of profile and group pictures (xmlns `w:profile:picture`).
import { createHash } from 'node:crypto';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { element, textOf } from '../lib/binary-node.ts';
import type { FileAnswer, FileRequest } from '../wire/listener.ts';
import { type Group, GroupError } from '../world/group.ts';
import type { Groups } from '../world/groups.ts';
import type { Account, Companion, World } from '../world/model.ts';
import { notifyCompanions, pnJid } from '../world/world.ts';
import { type Answer, type IqHandler, requestOf, StanzaError } from './router.ts';
import { maySee } from './usync.ts';

/** Creates the handler of `<status>`, the older request that changes the status text. */
export function createStatus(world: World): IqHandler {
  return (companion, iq) => {
    const request = requestOf(iq);
    if (iq.attrs.type !== 'set' || request?.tag !== 'status') return undefined;
    setStatus(world, companion.account, textOf(request));
    return { after: () => announceStatus(world, companion.account, companion) };
  };
}

/** Id of the `w:mex` query that changes the status text. */
const UPDATE_TEXT_STATUS_ID = '9152604461510864';

/** Creates the handler of the `w:mex` query that changes the status text with its emoji and duration. */
export function createTextStatus(world: World): IqHandler {
  return (companion, iq) => {
    const request = requestOf(iq);
    if (request?.attrs.query_id !== UPDATE_TEXT_STATUS_ID) return undefined;
    const status = readTextStatus(textOf(request));
    if (!status) throw new StanzaError(400);
    const { account } = companion;
    Object.assign(account, status, { statusAt: world.now() });
    const result = JSON.stringify({ data: { xwa2_update_text_status: { result: 'SUCCESS' } } });
    return {
      content: [element('result', {}, result)],
      after: () => notifyCompanions(world, account, 'account_sync', [textStatusNode(account)], companion),
    };
  };
}

/** Reads the variables of the query; undefined when they are invalid. */
function readTextStatus(json: string): Pick<Account, 'statusText' | 'statusEmoji' | 'statusDuration'> | undefined {
  const { text = null, emoji, ephemeral_duration_sec: duration } = inputOf(json);
  const emojiText: unknown = typeof emoji === 'object' && emoji !== null ? Reflect.get(emoji, 'content') : '';
  if ((text !== null && typeof text !== 'string') || typeof emojiText !== 'string') return undefined;
  if (typeof duration !== 'number' || !Number.isInteger(duration) || duration < 0) return undefined;
  return { statusText: text ?? '', statusEmoji: emojiText, statusDuration: duration };
}

/** The variable `input` of the query. Throws StanzaError 400 when the query is not JSON. */
function inputOf(json: string): Record<string, unknown> {
  try {
    const query = JSON.parse(json) as { variables?: { input?: Record<string, unknown> } } | null;
    return query?.variables?.input ?? {};
  } catch {
    throw new StanzaError(400);
  }
}

const textStatusNode = ({ statusText, statusEmoji, statusDuration, statusAt }: Account): BinaryNode =>
  element(
    'text_status',
    {
      action: 'modify',
      text: statusText,
      ephemeral_duration_sec: String(statusDuration),
      last_update_time: String(statusAt),
    },
    statusEmoji ? [element('emoji', { content: statusEmoji })] : undefined,
  );

/**
 * Path prefix of pictures. The path continues with `<owner>/<picture id>`. The owner is the LID (second address) of an
 * account, or the id of a group.
 */
const PICTURE_PATH = '/pictures/';

export interface Pictures {
  readonly handler: IqHandler;
  /** Sets the base URL of pictures: `http(s)://host:port`. */
  setBaseUrl(url: string): void;
  /** Returns the picture at the path of the request; undefined when there is none. */
  serve(request: FileRequest): FileAnswer | undefined;
}

export function createPictures(world: World, groups: Groups): Pictures {
  let baseUrl = '';
  return {
    setBaseUrl(url) {
      baseUrl = url;
    },
    handler: (companion, iq) => {
      const { target, type } = iq.attrs;
      const { account } = companion;
      if (target?.endsWith('@g.us')) return handleGroupPicture(groups, account, iq, baseUrl);
      const owner = target === undefined ? account : world.byJid(target);
      if (!owner) throw new StanzaError(404);
      const request = requestOf(iq);
      if (type === 'set') {
        if (owner !== account) throw new StanzaError(403);
        // A change without bytes removes the picture.
        const bytes = request?.content instanceof Uint8Array ? Buffer.from(request.content) : undefined;
        owner.picture = bytes && createPicture(bytes);
        const content = owner.picture ? [element('picture', { id: owner.picture.id })] : [];
        return { content, after: () => announcePicture(world, account, companion) };
      }
      if (request?.tag !== 'picture') return undefined;
      if (!owner.picture) throw new StanzaError(404);
      if (!maySee(owner, account, 'profile')) throw new StanzaError(401);
      // The client has the current picture already.
      if (request.attrs.id === owner.picture.id) return {};
      const path = `${PICTURE_PATH}${owner.lid}/${owner.picture.id}`;
      const attrs = { id: owner.picture.id, type: request.attrs.type, url: `${baseUrl}${path}`, direct_path: path };
      return { content: [element('picture', attrs)] };
    },
    serve({ method, path }) {
      if (method !== 'GET') return undefined;
      if (!path.startsWith(PICTURE_PATH)) return undefined;
      const [ownerId = '', id] = path.slice(PICTURE_PATH.length).split('/');
      const picture = (groups.get(ownerId) ?? world.byJid(`${ownerId}@lid`))?.picture;
      return picture && picture.id === id ? { status: 200, type: 'image/jpeg', body: picture.bytes } : undefined;
    },
  };
}

/** Sets a status text without emoji and duration. */
export function setStatus(world: World, account: Account, statusText: string): void {
  Object.assign(account, { statusText, statusEmoji: '', statusDuration: 0, statusAt: world.now() });
}

/** Sends the account's new status text to its companions (linked devices), except to `changedBy`. */
export function announceStatus(world: World, account: Account, changedBy?: Companion): void {
  notifyCompanions(world, account, 'status', [element('set', {}, account.statusText)], changedBy);
}

/** Reports the account's new or removed picture to its companions, except to `changedBy`. */
export function announcePicture(world: World, account: Account, changedBy?: Companion): void {
  const attrs = { jid: pnJid(account), id: account.picture?.id };
  notifyCompanions(world, account, 'picture', [element(account.picture ? 'set' : 'delete', attrs)], changedBy);
}

/** Creates a picture of an account or a group from JPEG bytes. */
export const createPicture = (bytes: Buffer): NonNullable<Group['picture']> => ({ id: pictureId(bytes), bytes });

/** Answers a query or change of a group's picture. Throws StanzaError when `account` is not a member. */
function handleGroupPicture(groups: Groups, account: Account, iq: BinaryNode, baseUrl: string): Answer {
  const request = requestOf(iq);
  try {
    const group = groups.getAsMember(account, iq.attrs.target ?? '');
    if (iq.attrs.type === 'set') {
      // A change without bytes removes the picture.
      const bytes = request?.content instanceof Uint8Array ? Buffer.from(request.content) : undefined;
      groups.setPicture(group, account, bytes && createPicture(bytes));
      return { content: group.picture ? [element('picture', { id: group.picture.id })] : [] };
    }
    if (!group.picture) throw new StanzaError(404);
    const path = `${PICTURE_PATH}${group.id.replace('@g.us', '')}/${group.picture.id}`;
    const attrs = { id: group.picture.id, type: request?.attrs.type, url: `${baseUrl}${path}`, direct_path: path };
    return { content: [element('picture', attrs)] };
  } catch (error) {
    throw error instanceof GroupError ? new StanzaError(error.code) : error;
  }
}

/** A picture id that depends on the content, so that the same picture always has the same id. */
const pictureId = (bytes: Buffer) => String(createHash('sha256').update(bytes).digest().readUInt32BE(0));
