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
  const restoreWarnings = hideExperimentalWarnings();
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

/** Number of hideExperimentalWarnings() calls whose returned function was not called yet. */
let hidingCalls = 0;
let restoreListeners: () => void = () => undefined;

/** Hides warnings about experimental parts of Node until the returned function is called. */
function hideExperimentalWarnings(): () => void {
  if (hidingCalls === 0) restoreListeners = replaceWarningListeners();
  hidingCalls += 1;
  return () => {
    hidingCalls -= 1;
    if (hidingCalls === 0) restoreListeners();
  };
}

/** Puts a filter in front of the listeners of warnings. Returns a function that removes the filter. */
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
