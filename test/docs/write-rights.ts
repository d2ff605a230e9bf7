import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withRights } from './rights';

const file = join(__dirname, '../../docs/security.md');
writeFileSync(file, withRights(readFileSync(file, 'utf8')));
