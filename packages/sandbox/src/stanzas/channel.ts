// Answers requests of clients about channels, which the protocol calls newsletters. GraphQL queries (xmlns `w:mex`)
// read or change channels: a query id names the operation, and the variables are JSON. Stanzas with the xmlns
// `newsletter` request lists of posts.
import { type BinaryNode, QueryIds, XWAPaths } from '@whiskeysockets/baileys';
import { element, textOf } from '../lib/binary-node.ts';
import { senderFlagOf } from '../phone/channel-messages.ts';
import { type Channel, ChannelError } from '../world/channel.ts';
import type { Channels } from '../world/channels.ts';
import type { Account } from '../world/model.ts';
import { type IqHandler, requestOf, StanzaError } from './router.ts';

/** Id of the query that lists the account's channels; Baileys has no constant for it. */
const SUBSCRIBED_QUERY_ID = '6388546374527196';
/** Ids that clients not based on Baileys use to read, create and mute a channel. Baileys uses the ids in `QueryIds`. */
const METADATA_QUERY_ID = '27456920720571478';
const CREATE_QUERY_ID = '25149874324715067';
const USER_SETTING_QUERY_ID = '31938993655691868';
/** Maximum number of posts in one answer. */
const MAX_POSTS = 100;

/** The variables of a GraphQL query. */
type Variables = Record<string, unknown>;
/** Handles a query and returns its result. Throws ChannelError for a query that WhatsApp rejects. */
type QueryHandler = (channels: Channels, account: Account, variables: Variables) => unknown;

/**
 * Creates the handler of a change to the channel that the variable `newsletter_id` names. The result contains the id of
 * the channel, but not the changed fields.
 */
const createChangeHandler =
  (apply: (channels: Channels, channel: Channel, account: Account) => void): QueryHandler =>
  (channels, account, { newsletter_id: id }) => {
    const channel = channels.get(String(id));
    apply(channels, channel, account);
    return { id: channel.id, state: { type: 'ACTIVE' } };
  };

const createChannel: QueryHandler = (channels, account, { input }) => {
  const { name, description } = toRecord(input);
  return channelView(channels.create(account, String(name ?? ''), String(description ?? '')), account);
};

const getMetadata: QueryHandler = (channels, account, { input }) => {
  const { key, type } = toRecord(input);
  return channelView(type === 'INVITE' ? channels.byInvite(String(key)) : channels.get(String(key)), account);
};

/** Mutes or unmutes a channel. Throws ChannelError 400 for other settings. */
const changeUserSetting: QueryHandler = (channels, account, { input }) => {
  const { newsletter_id: id, type, value } = toRecord(input);
  if (type !== 'MUTE_FOLLOWER_ACTIVITY') throw new ChannelError(400, 'unknown setting');
  const channel = channels.get(String(id));
  channels.setMuted(channel, account, value === 'ON');
  return { id: channel.id, state: { type: 'ACTIVE' } };
};

/** The handlers by query id. `field` is the field of `data` that contains the result. */
const QUERY_HANDLERS: Readonly<Record<string, [field: string, handle: QueryHandler]>> = {
  [QueryIds.CREATE]: [XWAPaths.xwa2_newsletter_create, createChannel],
  [CREATE_QUERY_ID]: [XWAPaths.xwa2_newsletter_create, createChannel],
  [QueryIds.UPDATE_METADATA]: [
    'xwa2_newsletter_update',
    (channels, account, { newsletter_id: id, updates }) => {
      const channel = channels.get(String(id));
      const { name, description, picture } = toRecord(updates);
      channels.update(channel, account, {
        name: typeof name === 'string' ? name : undefined,
        description: typeof description === 'string' ? description : undefined,
        picture: typeof picture === 'string' ? Buffer.from(picture, 'base64') : undefined,
      });
      return channelView(channel, account);
    },
  ],
  [QueryIds.METADATA]: [XWAPaths.xwa2_newsletter_metadata, getMetadata],
  [METADATA_QUERY_ID]: [XWAPaths.xwa2_newsletter_metadata, getMetadata],
  [USER_SETTING_QUERY_ID]: ['xwa2_newsletter_update_user_setting', changeUserSetting],
  [SUBSCRIBED_QUERY_ID]: [
    'xwa2_newsletter_subscribed',
    (channels, account) => channels.listFor(account).map((channel) => channelView(channel, account)),
  ],
  [QueryIds.FOLLOW]: [
    XWAPaths.xwa2_newsletter_join_v2,
    (channels, account, { newsletter_id: id }) => {
      const channel = channels.get(String(id));
      channels.follow(channel, account);
      return channelView(channel, account);
    },
  ],
  [QueryIds.UNFOLLOW]: [
    XWAPaths.xwa2_newsletter_leave_v2,
    createChangeHandler((channels, channel, account) => channels.unfollow(channel, account)),
  ],
  [QueryIds.MUTE]: [
    XWAPaths.xwa2_newsletter_mute_v2,
    createChangeHandler((channels, channel, account) => channels.setMuted(channel, account, true)),
  ],
  [QueryIds.UNMUTE]: [
    XWAPaths.xwa2_newsletter_unmute_v2,
    createChangeHandler((channels, channel, account) => channels.setMuted(channel, account, false)),
  ],
  [QueryIds.DELETE]: [
    XWAPaths.xwa2_newsletter_delete_v2,
    createChangeHandler((channels, channel, account) => channels.delete(channel, account)),
  ],
};

/** Answers `w:mex` queries about channels; undefined for other queries. */
export function createChannelQueries(channels: Channels): IqHandler {
  return ({ account }, iq) => {
    const request = requestOf(iq);
    const id = request?.attrs.query_id ?? '';
    const entry = Object.hasOwn(QUERY_HANDLERS, id) ? QUERY_HANDLERS[id] : undefined;
    if (!entry) return undefined;
    const [field, handle] = entry;
    const { variables } = parseQuery(textOf(request));
    try {
      return jsonResult({ data: { [field]: handle(channels, account, toRecord(variables)) } });
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const extensions = { error_code: error.code, is_retryable: false, severity: 'CRITICAL' };
      return jsonResult({ data: { [field]: null }, errors: [{ message: error.message, path: [field], extensions }] });
    }
  };
}

/**
 * Answers `<messages type="jid" jid count before?>` with the newest `count` posts of the channel, oldest first. With
 * `before`, the answer contains only posts with a lower number.
 */
export function createChannelPosts(channels: Channels): IqHandler {
  return ({ account }, iq) => {
    const request = requestOf(iq);
    if (request?.tag !== 'messages' || request.attrs.type !== 'jid') return undefined;
    const { jid = '', count, before } = request.attrs;
    const channel = getChannel(channels, jid);
    const limit = Math.min(Number(count ?? MAX_POSTS), MAX_POSTS);
    if (!Number.isInteger(limit) || limit <= 0) throw new StanzaError(400);
    const posts = channel.posts.filter(({ serverId }) => !before || serverId < Number(before)).slice(-limit);
    const nodes = posts.map((post) => {
      const { id, serverId, type, mediatype, at, author, plaintext, views, reactions } = post;
      const reactionsByCode = Map.groupBy(reactions.values(), (code) => code);
      const reactionNodes = Array.from(reactionsByCode, ([code, all]) =>
        element('reaction', { code, count: String(all.length) }),
      );
      const attrs = {
        id,
        server_id: String(serverId),
        t: String(at),
        type,
        is_sender: senderFlagOf(author, account),
      };
      return element('message', attrs, [
        element('plaintext', { mediatype }, plaintext),
        element('views_count', { count: String(views.size) }),
        ...(reactionNodes.length > 0 ? [element('reactions', {}, reactionNodes)] : []),
      ]);
    });
    return { content: [element('messages', { jid: channel.id, t: String(posts.at(-1)?.at ?? 0) }, nodes)] };
  };
}

/** Returns the channel. Throws a StanzaError with the code of the ChannelError, such as 404 for an unknown channel. */
function getChannel(channels: Channels, jid: string): Channel {
  try {
    return channels.get(jid);
  } catch (error) {
    throw error instanceof ChannelError ? new StanzaError(error.code) : error;
  }
}

const jsonResult = (answer: object): { content: BinaryNode[] } => ({
  content: [element('result', {}, JSON.stringify(answer))],
});

/** Parses the JSON of a query. Throws StanzaError 400 for any other text. */
function parseQuery(text: string): Variables {
  try {
    return toRecord(JSON.parse(text));
  } catch {
    throw new StanzaError(400);
  }
}

const toRecord = (value: unknown): Variables => (typeof value === 'object' && value !== null ? { ...value } : {});

/** A channel as this account sees it, in the JSON of `w:mex`. */
function channelView(channel: Channel, account: Account): object {
  const { id, name, description, creation, invite, followers } = channel;
  // `update_time` is in epoch microseconds. It is the creation time, because changes of texts are not recorded.
  const textField = (text: string) => ({ id: String(creation), text, update_time: `${creation}000000` });
  return {
    id,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      creation_time: String(creation),
      name: textField(name),
      description: textField(description),
      handle: null,
      invite,
      picture: { id: channel.picture?.id ?? '', type: 'IMAGE', direct_path: '' },
      preview: null,
      settings: { reaction_codes: { value: 'ALL' } },
      subscribers_count: String(followers.size),
      verification: 'UNVERIFIED',
    },
    viewer_metadata: {
      mute: followers.get(account)?.muted ? 'ON' : 'OFF',
      role: channel.roleOf(account),
    },
  };
}
