/**
 * Mutants of decisions on plain data: whatever is changed in them, a test has to notice.
 * @type {Partial<import('@stryker-mutator/api/core').PartialStrykerOptions>}
 */
module.exports = {
  mutate: [
    'lib/shift/machine/*.ts',
    'lib/shift/way.ts',
    'lib/admission/label-selector.ts:37-62',
    'lib/clusterset/{differences,reconcile,removals,tag-selector}.ts',
    'lib/rules/rules/gitops/*.ts',
    'lib/rules/rules/retries/*.ts',
    'lib/rules/rules/webhooks/wh0*.ts',
  ],
  testRunner: 'jest',
  jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  // A machine with two cores stays usable.
  concurrency: 1,
  // What runs when a file is loaded needs every test of every file.
  ignoreStatic: true,
  // A mutant may never end: its tests get twice their time, and this.
  timeoutMS: 10_000,
  timeoutFactor: 2,
  ignorePatterns: ['dist', 'bench', 'out'],
  tempDirName: 'out/stryker',
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'out/mutation.json' },
  thresholds: { high: 90, low: 80, break: 80 },
};
