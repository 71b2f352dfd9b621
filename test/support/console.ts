// The console of this process in tests.
import { beforeAll, vi } from 'vitest';

/**
 * Hides what is printed during the tests of the file that calls it: libsignal prints sessions with their keys. Afterwards
 * the console prints again, because the next file runs in the same process.
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
