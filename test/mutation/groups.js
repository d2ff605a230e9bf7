const fs = require('node:fs');
const path = require('node:path');

const tests = path.join(__dirname, '..');

/** Rules of one family, and its tests; those of constructs judge what the library writes, not the rules. */
function ruleFamily(family) {
  const folder = `rules/rules/${family}`;
  const own = fs
    .readdirSync(path.join(tests, folder))
    .filter((file) => file.endsWith('.test.ts') && !/^(?:any-shape|constructs)/.test(file))
    .map((file) => `${folder}/${file.replace('.test.ts', '')}`);
  return {
    mutate: [`lib/rules/rules/${family}/!(index).ts`],
    tests: ['rules/examples', 'rules/rule-pages', ...own],
  };
}

/**
 * What is mutated, and the tests that have to notice: those of its own subject, the quick ones first. A mutant that only
 * the tests of something else would notice counts as one that nobody does.
 */
module.exports = {
  shift: {
    mutate: ['lib/shift/machine/*.ts', 'lib/shift/way.ts'],
    tests: [
      'transitions',
      'ends',
      'starts',
      'progress',
      'judge',
      'router-group',
      'router-failures',
      'run-shift',
      'machine',
      'courier-faults',
      'resume',
      'way',
    ].map((name) => `shift/${name}`),
  },
  selectors: {
    mutate: ['lib/admission/label-selector.ts', 'lib/clusterset/tag-selector.ts'],
    tests: ['admission/judgements', 'admission/label-selector', 'clusterset/desired', 'clusterset/config'],
  },
  secrets: {
    mutate: ['lib/clusterset/{differences,reconcile,removals}.ts'],
    tests: ['decisions', 'reconcile', 'peer-faults', 'properties'].map((name) => `clusterset/${name}`),
  },
  certificates: ruleFamily('certificates'),
  gitops: ruleFamily('gitops'),
  'load-balancer': ruleFamily('load-balancer'),
  retries: ruleFamily('retries'),
  webhooks: ruleFamily('webhooks'),
};
