// The targets that sessions can be written to. The module of a target and its database driver are imported only when
// the target is opened.
import type { Target, TargetOptions } from '../session/target.ts';

/** The option of the command line that selects the target, in camelCase. */
export type TargetKind = 'to' | 'out' | 'toBaileys' | 'toWhatsmeow';

/**
 * The functions that open the targets. Each rejects with an Error for the operator when its target cannot be opened.
 */
export const TARGETS: Record<TargetKind, (options: TargetOptions) => Promise<Target>> = {
  to: async (options) => (await import('./gateway.ts')).openGateway(options),
  out: async (options) => (await import('./bundle-file.ts')).openBundleFile(options),
  toBaileys: async (options) => (await import('./baileys-folder.ts')).openBaileysFolderTarget(options),
  toWhatsmeow: async (options) => (await import('./whatsmeow.ts')).openWhatsmeowTarget(options),
};
