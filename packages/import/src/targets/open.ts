// The targets that sessions can be written to. The module of a target and its database driver are imported only when the
// target is opened.
import type { Target, TargetOptions } from '../target.ts';

export type TargetKind = 'to' | 'out' | 'toBaileys' | 'toWhatsmeow';

/**
 * By the option that names the location. Each function rejects with an Error whose message is meant for the operator when
 * the target cannot be opened.
 */
export const TARGETS: Record<TargetKind, (options: TargetOptions) => Promise<Target>> = {
  to: async (options) => (await import('./gateway.ts')).openGateway(options),
  out: async (options) => (await import('./bundle-file.ts')).openBundleFile(options),
  toBaileys: async (options) => (await import('./baileys-folder.ts')).openBaileysFolderTarget(options),
  toWhatsmeow: async (options) => (await import('./whatsmeow.ts')).openWhatsmeowTarget(options),
};
