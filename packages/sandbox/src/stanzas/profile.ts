// xmlns `status` and `w:profile:picture`: status texts, profile pictures and group pictures.
import { createHash } from 'node:crypto';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { type Group, GroupError } from '../group.ts';
import type { Groups } from '../groups.ts';
import type { Account, Companion, World } from '../model.ts';
import { element, textOf } from '../node.ts';
import type { FileAnswer, FileRequest } from '../wire/listener.ts';
import { deliverNotification, pnJid } from '../world.ts';
import { type Answer, type IqHandler, requestOf, StanzaError } from './router.ts';
import { maySee } from './usync.ts';

export function createStatus(world: World): IqHandler {
  return (companion, iq) => {
    const request = requestOf(iq);
    if (iq.attrs.type !== 'set' || request?.tag !== 'status') return undefined;
    const { account } = companion;
    account.statusText = textOf(request);
    account.statusAt = world.now();
    return { after: () => announceStatus(world, account, companion) };
  };
}

const PICTURE_PATH = '/pictures/';

export interface Pictures {
  readonly handler: IqHandler;
  /** Says where `file` can be fetched from: `http(s)://host:port`. */
  setBaseUrl(filesUrl: string): void;
  /** A picture by the path of its URL; undefined when it is none. */
  serve(request: FileRequest): FileAnswer | undefined;
}

export function createPictures(world: World, groups: Groups): Pictures {
  let base = '';
  return {
    setBaseUrl(filesUrl) {
      base = filesUrl;
    },
    handler: (companion, iq) => {
      const { target, type } = iq.attrs;
      const { account } = companion;
      if (target?.endsWith('@g.us')) return handleGroupPicture(groups, account, iq, base);
      const owner = target === undefined ? account : world.byJid(target);
      if (!owner) throw new StanzaError(404);
      const request = requestOf(iq);
      if (type === 'set') {
        if (owner !== account) throw new StanzaError(403);
        const bytes = request?.content instanceof Uint8Array ? Buffer.from(request.content) : undefined;
        owner.picture = bytes && createPicture(bytes);
        const content = owner.picture ? [element('picture', { id: owner.picture.id })] : [];
        return { content, after: () => announcePicture(world, account, companion) };
      }
      if (request?.tag !== 'picture') return undefined;
      if (!owner.picture) throw new StanzaError(404);
      if (!maySee(owner, account, 'profile')) throw new StanzaError(401);
      // The client has that one already.
      if (request.attrs.id === owner.picture.id) return {};
      const path = `${PICTURE_PATH}${owner.number}/${owner.picture.id}`;
      const attrs = { id: owner.picture.id, type: request.attrs.type, url: `${base}${path}`, direct_path: path };
      return { content: [element('picture', attrs)] };
    },
    serve({ method, path }) {
      if (method !== 'GET') return undefined;
      const [number = '', id] = path.startsWith(PICTURE_PATH) ? path.slice(PICTURE_PATH.length).split('/') : [];
      const owner = groups.get(number) ?? (world.isOnWhatsApp(number) ? world.account(number) : undefined);
      const picture = owner?.picture;
      return picture && picture.id === id ? { status: 200, type: 'image/jpeg', body: picture.bytes } : undefined;
    },
  };
}

/** The devices of the account, but for the one that changed it, hear that its status text is another one. */
export function announceStatus(world: World, account: Account, by?: Companion): void {
  notifyCompanions(world, account, 'status', element('set', {}, Buffer.from(account.statusText)), by);
}

/** The same for its picture. */
export function announcePicture(world: World, account: Account, by?: Companion): void {
  const attrs = { jid: pnJid(account), id: account.picture?.id };
  notifyCompanions(world, account, 'picture', element(account.picture ? 'set' : 'delete', attrs), by);
}

function notifyCompanions(
  world: World,
  account: Account,
  type: string,
  change: BinaryNode,
  by: Companion | undefined,
): void {
  for (const companion of account.companions.values()) {
    if (companion !== by) deliverNotification(world, companion, pnJid(account), type, [change]);
  }
}

/** Bytes (JPEG) as a picture of an account or a group. */
export const createPicture = (bytes: Buffer): NonNullable<Group['picture']> => ({ id: pictureId(bytes), bytes });

/** Members see it, those who may edit the group change it. */
function handleGroupPicture(groups: Groups, account: Account, iq: BinaryNode, base: string): Answer {
  const request = requestOf(iq);
  try {
    const group = groups.getAsMember(account, iq.attrs.target ?? '');
    if (iq.attrs.type === 'set') {
      const bytes = request?.content instanceof Uint8Array ? Buffer.from(request.content) : undefined;
      groups.setPicture(group, account, bytes && createPicture(bytes));
      return { content: group.picture ? [element('picture', { id: group.picture.id })] : [] };
    }
    if (!group.picture) throw new StanzaError(404);
    const path = `${PICTURE_PATH}${group.id.replace('@g.us', '')}/${group.picture.id}`;
    const attrs = { id: group.picture.id, type: request?.attrs.type, url: `${base}${path}`, direct_path: path };
    return { content: [element('picture', attrs)] };
  } catch (refused) {
    throw refused instanceof GroupError ? new StanzaError(refused.code) : refused;
  }
}

/** The platform numbers pictures; ours depend on the content, so that the same picture is the same id. */
const pictureId = (bytes: Buffer) => String(createHash('sha256').update(bytes).digest().readUInt32BE(0));
