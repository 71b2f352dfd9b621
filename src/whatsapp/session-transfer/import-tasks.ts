// Tasks that an import stores for the first connection of the instance. Decision D-176.

/** Key type of the stored tasks. This value and the names in IMPORT_TASKS must not change: databases contain them. */
export const IMPORT_TASK_TYPE = 'gateway-import-task';
/**
 * `app-state`: fetch the app state (data that the devices of the account share) from snapshots. `pre-keys`: compare the
 * pre-keys (one-time keys for new encrypted sessions) on the server with the stored pre-keys.
 */
export const IMPORT_TASKS = ['app-state', 'pre-keys'] as const;
export type ImportTask = (typeof IMPORT_TASKS)[number];
