// Channel routes of the control API, the HTTP API that controls the sandbox. Each request acts as the account whose
// phone number is in the path.
import type { FastifyInstance } from 'fastify';
import type { ChannelMessages } from '../phone/channel-messages.ts';
import type { Channel } from '../world/channel.ts';
import type { Channels } from '../world/channels.ts';
import type { Account, World } from '../world/model.ts';
import type { FindPhone, PhoneRoute } from './account.ts';
import {
  type Body,
  ControlError,
  readBoolean,
  readString,
  requireNumber,
  requireString,
  toDraft,
  toObject,
  toPhoneNumber,
} from './body.ts';

/** The parts of the sandbox that the routes use. */
interface ChannelParts {
  world: World;
  phones: { channels: Channels; channelMessages: ChannelMessages };
}

/** A channel as an account sees it, as JSON. `serverId` is the number of a post, `at` its time in epoch seconds. */
const channelView = (channel: Channel, account: Account) => ({
  id: channel.id,
  name: channel.name,
  description: channel.description,
  link: `https://whatsapp.com/channel/${channel.invite}`,
  role: channel.roleOf(account),
  muted: channel.followers.get(account)?.muted ?? false,
  owner: channel.owner.number,
  admins: Array.from(channel.admins, ({ number }) => number),
  followers: Array.from(channel.followers.keys(), ({ number }) => number),
  posts: channel.posts.map(({ id, serverId, at, reactions, views }) => ({
    id,
    serverId,
    at,
    views: views.size,
    reactions: Object.fromEntries(Array.from(reactions, ([{ number }, emoji]) => [number, emoji])),
  })),
});

export function addChannels(app: FastifyInstance, parts: ChannelParts, phoneOf: FindPhone): void {
  const { channels } = parts.phones;

  app.get<PhoneRoute>('/phones/:number/channels', async ({ params }) => {
    const { account } = phoneOf(params);
    return channels.listFor(account).map((channel) => channelView(channel, account));
  });

  app.post<PhoneRoute>('/phones/:number/channels', async ({ params, body: json }, reply) => {
    const body = toObject(json);
    const { account } = phoneOf(params);
    const channel = channels.create(account, requireString(body, 'name'), readString(body, 'description'));
    return reply.code(201).send(channelView(channel, account));
  });

  app.post<{ Params: { number: string; id: string; action: string } }>(
    '/phones/:number/channels/:id/:action',
    async ({ params, body }) => {
      const action = Object.hasOwn(ACTIONS, params.action) ? ACTIONS[params.action] : undefined;
      if (!action)
        throw new ControlError(
          404,
          `there is no channel action ${params.action}; the actions are ${Object.keys(ACTIONS).join(', ')}`,
        );
      const { account } = phoneOf(params);
      const channel = channels.get(params.id);
      return action(parts, channel, account, toObject(body)) ?? channelView(channel, account);
    },
  );
}

type ChannelAction = (parts: ChannelParts, channel: Channel, actor: Account, body: Body) => object | undefined;

/** Actions by the last segment of the path. The response is the action's result or, without one, the channel. */
const ACTIONS: Readonly<Record<string, ChannelAction>> = {
  follow: ({ phones }, channel, actor) => void phones.channels.follow(channel, actor),
  unfollow: ({ phones }, channel, actor) => void phones.channels.unfollow(channel, actor),
  mute: ({ phones }, channel, actor, body) =>
    void phones.channels.setMuted(channel, actor, readBoolean(body, 'muted') ?? true),
  promote: ({ phones, world }, channel, actor, body) =>
    void phones.channels.promote(channel, actor, world.account(toPhoneNumber(body.participant, 'participant'))),
  delete: ({ phones }, channel, actor) => {
    phones.channels.delete(channel, actor);
    return { deleted: channel.id };
  },
  /** Posts a text or a file. The body has the content fields of POST /phones/:number/messages. */
  post: ({ phones }, channel, actor, body) => {
    const { id, serverId } = phones.channelMessages.post(actor, channel, toDraft(body));
    return { id, serverId };
  },
  /** Posts a status of the channel: a post that is visible for 24 hours. The body is the same as for `post`. */
  status: ({ phones }, channel, actor, body) => ({
    id: phones.channelMessages.postStatus(actor, channel, toDraft(body)),
  }),
  /** Edits a post, or deletes it when the body has no `text`. */
  change: ({ phones }, channel, actor, body) =>
    void phones.channelMessages.change(actor, channel, requireString(body, 'id'), readString(body, 'text')),
  /** Sets the reaction of the account to a post. An empty or absent `emoji` removes the reaction. */
  react: ({ phones }, channel, actor, body) =>
    void phones.channels.react(channel, actor, requireNumber(body, 'serverId'), readString(body, 'emoji') ?? ''),
  /** Records that the account has seen the post. */
  view: (_parts, channel, actor, body) => {
    channel.getPost(requireNumber(body, 'serverId')).views.add(actor);
    return undefined;
  },
};
