// Makes the loading of modules faster: keeps the compiled source files between starts, and finds the files of relative
// imports without the file system. preload.js loads it first. It is JavaScript, because stripping the types of one file
// that is not in the cache loads Node's TypeScript compiler, which takes 16 MB (D-184).
import module from 'node:module';
import { join } from 'node:path';

// The cache is in node_modules, where only the owner of the packages can write. A process without write access reads
// what an earlier start of the same user has left; in the image, that is the build.
// Old Nodes, which preload.js refuses, have neither this function nor registerHooks().
module.enableCompileCache?.(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compile'));

/** Formats of modules by extension. Node reads the format of a `.js` file from its package.json. */
const FORMATS = { '.ts': 'module-typescript', '.mjs': 'module', '.js': undefined };

// For each import, Node asks whether the file exists, whether its path contains a link, and which package it belongs to.
// A relative import that ends with an extension needs none of this: it is the whole name of a file, and the path of the
// file that imports it contains no link.
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
