// npm run wording [-- FOLDER…]: lists the avoided words in the texts of this repository, and their number by folder.
import { findAllAvoided } from './wording.ts';

const folders = process.argv.slice(2);
const findings = findAllAvoided().filter(
  ({ path }) => folders.length === 0 || folders.some((part) => path.startsWith(part)),
);
for (const { path, line, found, instead } of findings) console.log(`${path}:${line}  ${found}  (${instead})`);
const counts = Object.entries(Object.groupBy(findings, ({ path }) => path.split('/').slice(0, 2).join('/')));
for (const [folder, list] of counts) console.log(`${String(list?.length).padStart(5)}  ${folder}`);
console.log(`${findings.length} in all`);
process.exitCode = findings.length ? 1 : 0;
