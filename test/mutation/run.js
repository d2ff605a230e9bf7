/** Runs the groups one after the other, or those that are named: `npm run mutate -- shift webhooks`. */
const { spawnSync } = require('node:child_process');
const groups = require('./groups.js');

const known = Object.keys(groups);
const named = process.argv.slice(2);
const unknown = named.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: no such group; there are ${known.join(', ')}`);
  process.exit(2);
}
const failed = (named.length > 0 ? named : known).filter((group) => {
  console.log(`\n== ${group}`);
  const { status } = spawnSync('stryker', ['run', 'test/mutation/stryker.config.js'], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_GROUP: group },
  });
  return status !== 0;
});
if (failed.length > 0) {
  console.error(`\nBelow the threshold, or not done: ${failed.join(', ')}`);
  process.exit(1);
}
