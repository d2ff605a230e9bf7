import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rulePages } from './rule-pages';

writeFileSync(join(__dirname, '..', '..', 'docs', 'rules.md'), rulePages());
