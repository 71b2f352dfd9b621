// Makes the loading of modules faster: keeps the compiled source files between starts, and finds the files of relative
// imports without the file system. preload.js imports this file first. This file is JavaScript, because Node would load
// its TypeScript compiler, which takes 16 MB, for any TypeScript file that is not in the cache (D-184).
import module from 'node:module';
import { join } from 'node:path';

// The cache is in node_modules, where only the owner of the packages can write. A process without write access reads
// the cache that an earlier start of the same user has written. In the container image, the build has written it.
// `?.`: old versions of Node, which preload.js refuses later, have neither this function nor registerHooks().
module.enableCompileCache?.(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compile'));

/** Formats of modules by extension. Node reads the format of a `.js` file from its package.json. */
const FORMATS = { '.ts': 'module-typescript', '.mjs': 'module', '.js': undefined };

// For each import, Node asks whether the file exists, whether its path contains a symbolic link, and to which package
// the file belongs. A relative import with an extension needs none of these answers: the import contains the whole file
// name, and the path of the importing file contains no symbolic link.
module.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const extension = /^\.{1,2}\/.*(\.(?:ts|mjs|js))$/.exec(specifier)?.[1];
    if (!extension || !context.parentURL?.startsWith('file:') || context.conditions.includes('require')) {
      return nextResolve(specifier, context);
    }
    const url = new URL(specifier, context.parentURL).href;
    return { url, format: FORMATS[extension], shortCircuit: true };
  },
});
