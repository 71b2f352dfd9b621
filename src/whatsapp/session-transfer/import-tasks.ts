// Tasks that an import stores for the first connection of the instance. Decision D-176.

/** Key type of the stored tasks. The values must not change, because existing databases contain them. */
export const IMPORT_TASK_TYPE = 'gateway-import-task';
/** app-state: fetch the app state from snapshots. pre-keys: compare the pre-keys of the server with the stored ones. */
export const IMPORT_TASKS = ['app-state', 'pre-keys'] as const;
export type ImportTask = (typeof IMPORT_TASKS)[number];
