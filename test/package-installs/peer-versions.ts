import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'));
const peers = Object.entries<string>(manifest.peerDependencies);

/** What `npm install` is asked for: the first version of each peer's range, or the last one. */
const specs: Record<string, () => string[]> = {
  oldest: () => peers.map(([name, range]) => `${name}@${range.replace('^', '')}`),
  newest: () => peers.map(([name, range]) => `${name}@${range}`),
};

const chosen = specs[process.argv[2] ?? ''];
if (!chosen) {
  console.error(`say which versions of the peers: ${Object.keys(specs).join(' or ')}`);
}
console.log(chosen?.().join(' ') ?? '');
process.exitCode = chosen ? 0 : 2;
