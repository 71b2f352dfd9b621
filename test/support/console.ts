// Hides the output of the console in tests.
import { beforeAll, vi } from 'vitest';

/**
 * Hides the output of the console during the tests of the file that calls it, because libsignal prints sessions with
 * their keys. Restores the console afterwards, because the next file runs in the same process.
 */
export function silenceConsole(): void {
  beforeAll(() => {
    const spies = (['info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockReturnValue(undefined),
    );
    return () => {
      for (const spy of spies) spy.mockRestore();
    };
  });
}
