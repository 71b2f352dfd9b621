// The targets that sessions can be written to. The files and database drivers of a target are loaded when it is opened.
import type { Target, TargetOptions } from '../target.ts';

export type TargetKind = 'to' | 'out' | 'toBaileys' | 'toWhatsmeow';

/** By the option that names the location. Each rejects with an Error for the operator. */
export const TARGETS: Record<TargetKind, (options: TargetOptions) => Promise<Target>> = {
  to: async (options) => (await import('./gateway.ts')).openGateway(options),
  out: async (options) => (await import('./bundle-file.ts')).openBundleFile(options),
  toBaileys: async (options) => (await import('./baileys-folder.ts')).openBaileysFolderTarget(options),
  toWhatsmeow: async (options) => (await import('./whatsmeow.ts')).openWhatsmeowTarget(options),
};
