// Keeps the compiled source files between starts: compiling them takes half of the startup time. It is JavaScript and
// preload.js loads it first, because stripping the types of one file that is not in the cache loads Node's TypeScript
// compiler, which takes 16 MB (D-184).
import module from 'node:module';
import { join } from 'node:path';

// The cache is in node_modules, where only the owner of the packages can write. A process without write access reads
// what an earlier start of the same user has left; in the image, that is the build.
// Old Nodes, which preload.js refuses, do not have this function.
module.enableCompileCache?.(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compile'));
