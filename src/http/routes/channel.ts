// Operations on channels. Posts are sent with the operations for messages: the field `number` of such a request is the
// JID of the channel. Decision D-115.
import {
  createChannel,
  deleteChannel,
  followChannel,
  muteChannel,
  unfollowChannel,
  updateChannel,
} from '../../whatsapp/channel/manage.ts';
import { fetchChannels, fetchPosts, findChannel } from '../../whatsapp/channel/read.ts';
import type { AppDeps } from '../deps.ts';
import {
  createChannelRoute,
  deleteChannelRoute,
  fetchAllChannelsRoute,
  fetchChannelMessagesRoute,
  findChannelInfosRoute,
  followChannelRoute,
  muteChannelRoute,
  unfollowChannelRoute,
  updateChannelRoute,
} from '../schemas/channel.ts';
import type { RoutePlugin } from '../type-provider.ts';

export const channelRoutes: RoutePlugin<Pick<AppDeps, 'media'>> = async (app, { media }) => {
  app.route({
    ...createChannelRoute,
    schema: createChannelRoute,
    handler: async ({ instance, body }, reply) => reply.code(201).send(await createChannel(instance.session(), body)),
  });
  app.route({
    ...updateChannelRoute,
    schema: updateChannelRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(await updateChannel(instance.session(), media, body)),
  });
  app.route({
    ...findChannelInfosRoute,
    schema: findChannelInfosRoute,
    handler: ({ instance, query }) => findChannel(instance.session(), query.channel),
  });
  app.route({
    ...fetchAllChannelsRoute,
    schema: fetchAllChannelsRoute,
    handler: ({ instance }) => fetchChannels(instance.session()),
  });
  app.route({
    ...followChannelRoute,
    schema: followChannelRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(await followChannel(instance.session(), body.channel)),
  });
  app.route({
    ...unfollowChannelRoute,
    schema: unfollowChannelRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(await unfollowChannel(instance.session(), body.channel)),
  });
  app.route({
    ...muteChannelRoute,
    schema: muteChannelRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(await muteChannel(instance.session(), body.channel, body.muted)),
  });
  app.route({
    ...fetchChannelMessagesRoute,
    schema: fetchChannelMessagesRoute,
    handler: ({ instance, query }) => fetchPosts(instance.session(), query),
  });
  app.route({
    ...deleteChannelRoute,
    schema: deleteChannelRoute,
    handler: ({ instance, query }) => deleteChannel(instance.session(), query.channel),
  });
};
