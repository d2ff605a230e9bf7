const fs = require('node:fs');
const path = require('node:path');

const tests = path.join(__dirname, '..');

/** Rules of one family, and its tests; those of constructs check what the library writes, not the rules. */
function ruleFamily(family) {
  const folder = `lint/rules/${family}`;
  const own = fs
    .readdirSync(path.join(tests, folder))
    .filter((file) => file.endsWith('.test.ts') && !/^(?:any-shape|constructs)/.test(file))
    .map((file) => `${folder}/${file.replace('.test.ts', '')}`);
  return {
    mutate: [`lib/lint/rules/${family}/!(index).ts`],
    tests: ['lint/contract', 'lint/rule-pages', ...own],
  };
}

/**
 * What is mutated, and the tests that have to notice: those of its own subject, the quick ones first. A mutant that only
 * the tests of something else would notice counts as not noticed.
 */
module.exports = {
  shift: {
    mutate: ['lib/shift/engine/machine/*.ts', 'lib/shift/engine/steps.ts', 'lib/shift/engine/schedule.ts'],
    tests: [
      'transitions',
      'ends',
      'starts',
      'progress',
      'check-verdict',
      'router-group',
      'router-failures',
      'run-shift',
      'machine',
      'eksctl-faults',
      'resume',
      'steps',
      'records',
      'evacuated',
      'shift-plan',
      'foreign-writes',
    ].map((name) => `shift/engine/${name}`),
  },
  metrics: {
    mutate: ['lib/shift/notify/{exposition,trace}.ts'],
    tests: ['dashboard', 'exposition', 'trace'].map((name) => `shift/notify/${name}`),
  },
  selectors: {
    mutate: ['lib/core/kubernetes/label-selector.ts', 'lib/operate/cluster-sync/tag-selector.ts'],
    tests: [
      'core/admission/protected-resources',
      'core/kubernetes/label-selector',
      'operate/cluster-sync/desired',
      'manifests/cluster-sync/config',
    ],
  },
  secrets: {
    mutate: ['lib/operate/cluster-sync/{current-secrets,reconcile}.ts'],
    tests: ['decisions', 'reconcile', 'peer-faults', 'properties'].map(
      (name) => `operate/cluster-sync/${name}`,
    ),
  },
  ...Object.fromEntries(
    fs
      .readdirSync(path.join(tests, 'lint', 'rules'), { withFileTypes: true })
      .filter((each) => each.isDirectory())
      .map(({ name }) => [name, ruleFamily(name)]),
  ),
};
