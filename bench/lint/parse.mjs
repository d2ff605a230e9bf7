/** Reads every file of a folder with js-yaml, and does nothing with what comes out. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';

const [folder] = process.argv.slice(2);
const documents = readdirSync(folder).flatMap((file) => loadAll(readFileSync(join(folder, file), 'utf8')));
process.stdout.write(String(documents.length));
