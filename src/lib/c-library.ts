// Loads functions of the C library that Node does not offer, through node:ffi. The module node:ffi is experimental, so
// callers must work without the functions.
import type { DynamicLibraryResult, FunctionDefinitions } from 'node:ffi';

/**
 * Loads functions of the C library. Resolves with undefined when Node has no node:ffi (before Node 26), or when the
 * system lacks one of the functions.
 */
export async function loadCFunctions<const T extends FunctionDefinitions>(
  definitions: T,
): Promise<DynamicLibraryResult<T>['functions'] | undefined> {
  const restoreWarnings = holdExperimentalWarnings();
  try {
    const { dlopen } = await import('node:ffi');
    // `null` opens the running program, which contains the C library.
    return dlopen(null, definitions).functions;
  } catch {
    return undefined;
  } finally {
    // Node emits the warning about node:ffi in a later tick.
    setImmediate(restoreWarnings);
  }
}

/** Number of holdExperimentalWarnings() calls whose returned function was not called yet. */
let holds = 0;
let restoreListeners: () => void = () => undefined;

/** Hides warnings about experimental parts of Node until the returned function is called. */
function holdExperimentalWarnings(): () => void {
  if (holds === 0) restoreListeners = replaceWarningListeners();
  holds += 1;
  return () => {
    holds -= 1;
    if (holds === 0) restoreListeners();
  };
}

function replaceWarningListeners(): () => void {
  const listeners = process.listeners('warning');
  const forward = (warning: Error) => {
    if (warning.name !== 'ExperimentalWarning') for (const listener of listeners) listener(warning);
  };
  process.removeAllListeners('warning');
  process.on('warning', forward);
  return () => {
    process.off('warning', forward);
    for (const listener of listeners) process.on('warning', listener);
  };
}
