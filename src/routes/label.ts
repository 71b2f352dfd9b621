// Labels (contract §5.9).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { handleLabel } from '../platform/label/handle.ts';
import { findLabels } from '../platform/label/store.ts';
import { findLabelsRoute, handleLabelPostRoute, handleLabelRoute } from '../schemas/label.ts';
import type { AppDeps } from './deps.ts';

export const labelRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'store'>> = async (app, { store }) => {
  app.route({
    ...findLabelsRoute,
    schema: findLabelsRoute,
    handler: ({ instance }) => findLabels(store.authKeys, instance.id),
  });
  for (const route of [handleLabelRoute, handleLabelPostRoute]) {
    app.route({
      ...route,
      schema: route,
      handler: ({ instance, body }) => handleLabel(instance.session(), store.authKeys, body),
    });
  }
};
