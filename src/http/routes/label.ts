// Lists the labels of an instance, and assigns them to chats.
import { changeChatLabel } from '../../whatsapp/label/assign.ts';
import { findLabels } from '../../whatsapp/label/store.ts';
import type { AppDeps } from '../deps.ts';
import { findLabelsRoute, handleLabelRoute } from '../schemas/label.ts';
import type { RoutePlugin } from '../type-provider.ts';

export const labelRoutes: RoutePlugin<Pick<AppDeps, 'store'>> = async (app, { store }) => {
  app.route({
    ...findLabelsRoute,
    schema: findLabelsRoute,
    handler: ({ instance }) => findLabels(store.authKeys, instance.id),
  });
  app.route({
    ...handleLabelRoute,
    schema: handleLabelRoute,
    handler: ({ instance, body }) => changeChatLabel(instance.session(), store.authKeys, body),
  });
};
