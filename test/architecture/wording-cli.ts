// npm run wording [-- FOLDER…]: lists the words that texts of this repository avoid, and how many each folder has.
import { findAllAvoided } from './wording.ts';

const only = process.argv.slice(2);
const findings = findAllAvoided().filter(({ path }) => only.length === 0 || only.some((part) => path.startsWith(part)));
for (const { path, line, found, instead } of findings) console.log(`${path}:${line}  ${found}  (${instead})`);
const counts = Object.entries(Object.groupBy(findings, ({ path }) => path.split('/').slice(0, 2).join('/')));
for (const [folder, list] of counts) console.log(`${String(list?.length).padStart(5)}  ${folder}`);
console.log(`${findings.length} in all`);
process.exitCode = findings.length ? 1 : 0;
