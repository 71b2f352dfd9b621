// Polls for conditions without an event. The default timeout of vitest, one second, is too short on a busy machine.
import { vi } from 'vitest';

/** The timeout is only for a test that hangs. */
const OPTIONS = { timeout: 60_000 };

/** Resolves with the result of `check` once it does not throw. */
export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, OPTIONS);

/** Resolves once `check` returns a value that is not falsy. */
export const waitUntil = <T>(check: () => T | Promise<T>) => vi.waitUntil(check, OPTIONS);
