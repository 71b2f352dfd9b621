// Reads and changes the settings of an instance. Decision D-105.
import { GatewayError } from '../../errors.ts';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import { applyAlwaysOnline } from '../../whatsapp/behaviors/online-presence.ts';
import type { AppInstance } from '../deps.ts';
import { SETTING_NAMES, snakeCaseSettingsOf } from '../dialects/setting-names.ts';
import { findSettingsRoute, type SetSettingsBody, type SettingsRecord, setSettingsRoute } from '../schemas/settings.ts';
import type { RoutePlugin } from '../type-provider.ts';

export const settingsRoutes: RoutePlugin = async (app) => {
  app.route({
    ...setSettingsRoute,
    schema: setSettingsRoute,
    handler: async ({ instance, body, log }, reply) => {
      const settings = await instance.changeSettings(toChange(body));
      if (body.alwaysOnline !== undefined)
        await applyIfOpen(instance, settings).catch((err) => log.warn({ err }, 'instance.presence.failed'));
      return reply.code(201).send({ settings: { instanceName: instance.name, settings: toRecord(settings) } });
    },
  });
  app.route({
    ...findSettingsRoute,
    schema: findSettingsRoute,
    handler: async ({ instance }) => toRecord(instance.row.settings),
  });
};

/** The settings in the body. Throws INVALID_REQUEST when the body has none. */
function toChange(body: SetSettingsBody): Partial<InstanceSettings> {
  // SETTING_NAMES are the settings that every dialect knows. `readChannels` is an addition of this gateway.
  const names = [...SETTING_NAMES, 'readChannels'] as const;
  const changed = names.map((name) => [name, body[name]] as const).filter(([, value]) => value !== undefined);
  if (changed.length > 0) return Object.fromEntries(changed);
  throw new GatewayError('INVALID_REQUEST', [[`The body has no setting. Set at least one of ${names.join(', ')}.`]]);
}

/**
 * Sets the online presence of a connected instance. An instance that is not connected, or whose account has no name
 * yet, applies the setting later (installOnlinePresence()).
 */
async function applyIfOpen(instance: AppInstance, settings: InstanceSettings): Promise<void> {
  if (instance.status().state === 'open') await applyAlwaysOnline(instance.session(), settings);
}

/** All settings, each with its name in camelCase and in snake_case. Rows of older releases have no `readChannels`. */
const toRecord = (settings: InstanceSettings): SettingsRecord => ({
  ...settings,
  readChannels: settings.readChannels === true,
  ...snakeCaseSettingsOf(settings),
});
